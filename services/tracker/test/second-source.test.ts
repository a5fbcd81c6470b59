import type { LimitedSource, SourceAnswer } from '@sigcast/market';
import { expect, it } from 'vitest';
import { secondSource } from '../src/market/market-source.ts';

/** What the second source says of tokens on Ethereum after such an answer, and what it was asked. */
async function marketsAfter(answer: SourceAnswer, contracts: readonly string[]) {
  const asked: string[] = [];
  const source: LimitedSource = {
    failures: 0,
    get: async (path) => {
      asked.push(path);
      return answer;
    },
  };
  const never = new AbortController().signal;
  const said = await secondSource(source, 60_000).ask({ chain: 'ethereum', contracts }, never);
  return { asked, said, markets: said.kind === 'answered' ? Object.fromEntries(said.markets) : undefined };
}

const pool = (address: string, base: string, usd: Readonly<Record<string, unknown>>) => ({
  type: 'pool',
  attributes: { address, volume_usd: { h24: '7.5' }, market_cap_usd: null, fdv_usd: '900', ...usd },
  relationships: { base_token: { data: { id: `eth_${base}` } } },
});

it('the deepest pool of a token counts, and a token without a usable pool of its own is not absent', async () => {
  const json = {
    data: ['0xab', '0xcd'].map((address) => ({ type: 'token', attributes: { address } })),
    included: [
      pool('a', '0xab', { reserve_in_usd: '10' }),
      pool('b', '0xab', { reserve_in_usd: '30.25' }),
      pool('c', '0xother', { reserve_in_usd: '99' }),
    ],
  };
  const { asked, markets } = await marketsAfter({ kind: 'answered', json }, ['0xAB', '0xCD', '0xEF']);
  expect(asked).toEqual(['/networks/eth/tokens/multi/0xAB,0xCD,0xEF?include=top_pools']);
  expect(markets).toEqual({
    '0xab': { kind: 'market', mcap: 900, liquidity: 30.25, volume24h: 7.5 },
    '0xcd': { kind: 'unusable' },
    '0xef': { kind: 'absent' },
  });
});

it('a network that the source does not know has none of the tokens', async () => {
  const answer = { kind: 'refused', status: 404, reason: 'the status is 404' } as const;
  expect((await marketsAfter(answer, ['0xab'])).markets).toEqual({ '0xab': { kind: 'absent' } });
});

it.each([
  ['another refusal', { kind: 'refused', status: 401, reason: '' } as const, 'refused'],
  ['no list', { kind: 'answered', json: { data: null } } as const, 'unreadable'],
  ['no JSON object', { kind: 'answered', json: 7 } as const, 'unreadable'],
])('%s says nothing of tokens', async (_, answer, kind) => {
  expect((await marketsAfter(answer, ['0xab'])).said.kind).toBe(kind);
});
