import { mostLiquidFirst, type Pool } from '@sigcast/market';
import type { Candidate } from '../domain/candidate.ts';
import type { Observation } from '../domain/observation.ts';

/**
 * What pools say of a token: the figures are those of its deepest pool that has a market cap. Undefined where there is none.
 * @param pools of the token, in which it is the base token
 */
export function observationOf(
  { chain, contract, links, buyers1h }: Candidate,
  pools: readonly Pool[],
  observedAt: Date,
): Observation | undefined {
  const [pool] = pools
    .filter(({ mcap, liquidity }) => mcap !== undefined && mcap > 0 && liquidity !== undefined)
    .sort(mostLiquidFirst);
  if (pool === undefined) return undefined;
  const [hour, day] = [pool.trades.h1, pool.trades.h24];
  const since = pools.flatMap(({ createdAt }) => createdAt?.getTime() ?? []);
  return {
    chain,
    contract,
    observedAt,
    symbol: pool.symbol ?? '',
    name: pool.name ?? pool.symbol ?? '',
    links: { ...pool.links, ...links },
    // A token is as old as its first pool: a new pool does not make it new.
    pooledAt: since.length === 0 ? undefined : new Date(Math.min(...since)),
    mcap: pool.mcap,
    liquidity: pool.liquidity,
    volume1h: pool.volume.h1,
    volume24h: pool.volume.h24,
    buys1h: hour?.buys,
    sells1h: hour?.sells,
    trades24h: day && day.buys + day.sells,
    buyers1h: hour?.buyers ?? buyers1h,
    change1h: pool.change.h1,
  };
}
