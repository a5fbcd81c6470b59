// What the second implementation of the rules makes of a recording: all answers at once, in one pass over plain JSON.
import { readFileSync } from 'node:fs';
import { type SignalType, signalTypes } from '@sigcast/contracts';
import type { Thresholds } from '../../src/domain/rules/thresholds.ts';
import { isSendable, secondFigures, secondVerdict } from '../second-rules.ts';

type Line = { readonly at: string; readonly source: string; readonly path: string; readonly json?: unknown };

/** A signal by the second implementation. */
export type SecondSignal = {
  readonly type: SignalType;
  readonly token: string;
  readonly at: string;
  readonly mcap: number;
  readonly liquidity: number;
};

export const fileOf = (name: string) => new URL(name, import.meta.url).pathname;
export const linesOf = (file: string): readonly Line[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

type Entry = { readonly chainId: string; readonly tokenAddress: string };
type GeckoPool = {
  readonly attributes: { readonly transactions: { readonly h1: { readonly buyers: number } } };
  readonly relationships: { readonly base_token: { readonly data: { readonly id: string } } };
};
type Pair = { readonly chainId: string; readonly baseToken: { readonly address: string } };

export const chainOf: Readonly<Record<string, string>> = { eth: 'ethereum' };

/** The tokens that a list names, each with its buyers where the list says so. */
export function listedIn({ path, json }: Line): ReadonlyMap<string, number | undefined> {
  if (path.startsWith('/networks/') && path.includes('_pools')) {
    const pools = (json as { data?: GeckoPool[] } | undefined)?.data ?? [];
    return new Map(
      pools.map(({ attributes, relationships }) => {
        const [network = '', address = ''] = relationships.base_token.data.id.split(/_(.*)/s);
        return [`${chainOf[network] ?? network}:${keyOf(address)}`, attributes.transactions.h1.buyers];
      }),
    );
  }
  if (!/^\/(token-profiles|token-boosts|community-takeovers)\//.test(path)) return new Map();
  const entries = (json ?? []) as Entry[];
  return new Map(
    entries.map(({ chainId, tokenAddress }) => [`${chainId}:${keyOf(tokenAddress)}`, undefined]),
  );
}

/** Addresses that begin with 0x are the same in any case. */
export const keyOf = (address: string) => (/^0x/i.test(address) ? address.toLowerCase() : address);

/**
 * Walks a recording whose answers are further apart than a verdict stands: each token that a list has named since its last verdict
 * is judged at the next answer about its market. Its facts count as soon as they come, if that is within 5 seconds.
 */
export function secondSignals(file: string, thresholds: Thresholds): readonly SecondSignal[] {
  const lines = linesOf(file);
  const waiting = new Map<string, number | undefined>();
  const made = new Map<string, SecondSignal>();
  for (const line of lines) {
    for (const [token, buyers] of listedIn(line)) waiting.set(token, buyers ?? waiting.get(token));
    const [, chain, addresses = ''] = /^\/tokens\/v1\/([^/]+)\/(.+)$/.exec(line.path) ?? [];
    if (chain === undefined || line.json === undefined) continue;
    const atMs = Date.parse(line.at);
    for (const address of addresses.split(',')) {
      const token = `${chain}:${keyOf(address)}`;
      if (!waiting.has(token)) continue;
      const buyers = waiting.get(token);
      const pairs = (line.json as Pair[]).filter(
        ({ chainId, baseToken }) => chainId === chain && keyOf(baseToken.address) === keyOf(address),
      );
      const typesBy = (info?: unknown) => {
        const figures = secondFigures({ pairs, info, buyers, atMs });
        if (figures === undefined) return [];
        const verdict = secondVerdict(figures, thresholds);
        return signalTypes.filter((type) => verdict[type] === '').map((type) => ({ type, figures }));
      };
      waiting.delete(token);
      const isNews = ({ type }: { readonly type: SignalType }) => !made.has(`${token} ${type}`);
      if (!typesBy().some(isNews)) continue;
      const network = Object.entries(chainOf).find(([, name]) => name === chain)?.[0] ?? chain;
      const about = lines.filter(
        ({ path, ...said }) =>
          path === `/networks/${network}/tokens/${address}/info` &&
          ('json' in said || (said as { failed?: string }).failed === 'refused'),
      );
      const info = about.findLast(({ at }) => Date.parse(at) <= atMs + 5_000);
      if (about.length > 0 && info === undefined) waiting.set(token, buyers);
      else if (info !== undefined && 'json' in info && info.json === null) continue;
      else {
        for (const { type, figures } of typesBy(info?.json)) {
          const key = `${token} ${type}`;
          const { mcap, liquidity } = figures;
          if (isSendable(figures) && !made.has(key))
            made.set(key, { type, token, at: line.at, mcap, liquidity });
        }
      }
    }
  }
  return [...made.values()];
}
