import { simulatedChain } from './dexscreener-answers.ts';
import { marketAt, type Token, tokenOf } from './token.ts';
import { tradingAt } from './trading.ts';

/** Answers of the simulated market in GeckoTerminal's format, whose numbers are texts. */

/** A list of the tokens' main pools. */
export function poolsOf(tokens: readonly Token[], atMs: number) {
  const known = tokens.flatMap((token) => {
    const [market, trading] = [marketAt(token, atMs), tradingAt(token, atMs)];
    return market && trading ? [{ token, market, trading }] : [];
  });
  return {
    data: known.map(({ token: { address }, market, trading }) => ({
      id: `${simulatedChain}_${address}-main`,
      type: 'pool',
      attributes: {
        name: `${trading.symbol} / USD`,
        address: `${address}-main`,
        pool_created_at: new Date(trading.pooledAtMs).toISOString(),
        reserve_in_usd: String(market.liquidity),
        fdv_usd: String(market.mcap),
        market_cap_usd: null,
        price_change_percentage: { h1: String(trading.change1h) },
        transactions: {
          h1: {
            buys: trading.buys.h1,
            sells: trading.sells.h1,
            buyers: trading.buyers1h,
            sellers: trading.sells.h1,
          },
        },
        volume_usd: { h1: String(trading.volume.h1), h24: String(trading.volume.h24) },
      },
      relationships: { base_token: { data: { id: `${simulatedChain}_${address}`, type: 'token' } } },
    })),
    included: known.map(({ token: { address }, trading: { symbol, name } }) => ({
      id: `${simulatedChain}_${address}`,
      type: 'token',
      attributes: { address, symbol, name },
    })),
  };
}

/** Tokens with their main pools. */
export function tokensWithPools(tokens: readonly Token[], atMs: number): object {
  const known = tokens.filter((token) => marketAt(token, atMs) !== undefined);
  return {
    data: known.map(({ address }) => ({
      id: `${simulatedChain}_${address}`,
      type: 'token',
      attributes: { address },
    })),
    included: poolsOf(known, atMs).data,
  };
}

/** What is known of a token's holders and risks; undefined where the market does not know the token. */
export function infoOf(address: string, atMs: number): object | undefined {
  const token = tokenOf(address);
  const trading = token && tradingAt(token, atMs);
  if (!trading) return undefined;
  return {
    data: {
      id: `${simulatedChain}_${address}`,
      type: 'token',
      attributes: {
        address,
        name: trading.name,
        symbol: trading.symbol,
        holders: {
          count: trading.holders,
          distribution_percentage: { top_10: String(trading.top10Percent) },
        },
        mint_authority: trading.isMintable ? `${address}-minter` : 'no',
        freeze_authority: 'no',
        is_honeypot: trading.isHoneypot ? 'yes' : 'no',
        websites: [`https://${trading.handle}.example`],
        twitter_handle: trading.handle,
        telegram_handle: null,
      },
    },
  };
}
