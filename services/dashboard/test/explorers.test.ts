import { describe, expect, it } from 'vitest';
import { explorersOf } from '../src/routes/signals/explorers.ts';

const chainsOf = (contract: string) => explorersOf(contract).map(({ chain }) => chain);

describe('where a contract can be looked up', () => {
  it('is one explorer where the form of the address tells the chain', () => {
    expect(explorersOf('So11111111111111111111111111111111111111112')).toEqual([
      {
        chain: 'Solana',
        site: 'solscan.io',
        url: 'https://solscan.io/token/So11111111111111111111111111111111111111112',
      },
    ]);
    expect(chainsOf('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toEqual(['Tron']);
    expect(chainsOf('EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs')).toEqual(['TON']);
  });

  it('is several explorers where chains share the form', () => {
    const contract = '0x6982508145454Ce325dDbE47a25d4ec3d2311933';
    expect(chainsOf(contract)).toEqual(['Ethereum', 'Base', 'BNB Chain', 'Arbitrum', 'Polygon']);
    for (const { site, url } of explorersOf(contract)) {
      expect(url).toBe(`https://${site}/token/${contract}`);
    }
  });

  it('is only on the chain that is named, and nowhere on a chain that no explorer is known of', () => {
    const contract = '0x6982508145454Ce325dDbE47a25d4ec3d2311933';
    expect(explorersOf(contract, 'base').map(({ chain }) => chain)).toEqual(['Base']);
    expect(explorersOf(contract, 'simulated')).toEqual([]);
  });

  it('is nowhere for a text that has the form of no chain, so that no text of a producer becomes part of a link', () => {
    for (const contract of ['', '0x1', 'javascript:alert(1)', '../../evil', `0x${'g'.repeat(40)}`]) {
      expect(explorersOf(contract)).toEqual([]);
    }
  });
});
