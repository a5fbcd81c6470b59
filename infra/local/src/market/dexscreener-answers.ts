import { marketAt, type Token, tokenOf } from './token.ts';
import { tradingAt } from './trading.ts';

/** DexScreener's name of the chain of the simulated market. */
export const simulatedChain = 'simulated';

/** Answers of the simulated market in DexScreener's format. */

/** The pairs of tokens: of each the main pool, a small pool with an old price, and a large pool without a market cap. */
export function pairsOf(tokens: readonly Token[], atMs: number): readonly object[] {
  return tokens.flatMap((token) => {
    const [market, stale] = [marketAt(token, atMs), marketAt(token, token.bornAtMs)];
    const trading = tradingAt(token, atMs);
    if (!market || !stale || !trading) return [];
    const pair = (name: string, { mcap, liquidity, volume24h }: typeof market, share: number) => ({
      chainId: simulatedChain,
      dexId: name,
      pairAddress: `${token.address}-${name}`,
      baseToken: { address: token.address, name: trading.name, symbol: trading.symbol },
      quoteToken: { address: '0xusd', name: 'US dollar', symbol: 'USD' },
      marketCap: mcap,
      fdv: mcap,
      liquidity: { usd: Math.round(liquidity * share * 100) / 100 },
      txns: {
        h1: { buys: trading.buys.h1, sells: trading.sells.h1 },
        h24: { buys: trading.buys.h24, sells: trading.sells.h24 },
      },
      volume: {
        h1: Math.round(trading.volume.h1 * share * 100) / 100,
        h24: Math.round(volume24h * share * 100) / 100,
      },
      priceChange: { h1: trading.change1h },
      pairCreatedAt: Math.round(trading.pooledAtMs),
      info: {
        websites: [{ label: 'Website', url: `https://${trading.handle}.example` }],
        socials: [{ type: 'twitter', url: `https://x.com/${trading.handle}` }],
      },
    });
    const { marketCap: _mcap, fdv: _fdv, ...unpriced } = pair('unpriced', market, 2);
    return [pair('small', stale, 0.0001), unpriced, pair('main', market, 1)];
  });
}

/** An entry of a list of profiles, boosts or takeovers. */
export function listEntry({ address }: Token): object {
  return { url: `https://market.example/${address}`, chainId: simulatedChain, tokenAddress: address };
}

/** The orders of a token: an approved profile, if it is paid for. */
export function ordersOf(address: string, atMs: number): readonly object[] {
  const token = tokenOf(address);
  const isPaid = token && tradingAt(token, atMs)?.isPaid;
  return isPaid ? [{ type: 'tokenProfile', status: 'approved', paymentTimestamp: token.bornAtMs }] : [];
}
