import {
  chainOf,
  geckoTerminalPools,
  isAddress,
  type LimitedSource,
  listedTokens,
  networkOf,
} from '@sigcast/market';
import type { Find } from '../domain/candidate.ts';

/** A list of candidates at a source. */
export type List = {
  /** Such as `dexscreener:boosts`. */
  readonly name: string;
  /** What its source is asked for. */
  readonly path: string;
  /** @returns what it names now, or why it can't be read. */
  read(stopping: AbortSignal): Promise<readonly Find[] | { readonly problem: string }>;
};

const dexScreenerLists = {
  profiles: '/token-profiles/latest/v1',
  boosts: '/token-boosts/latest/v1',
  'top-boosts': '/token-boosts/top/v1',
  takeovers: '/community-takeovers/latest/v1',
} as const;

/** DexScreener's lists, of all chains. */
export function dexScreenerListsOf(source: LimitedSource): readonly List[] {
  return Object.entries(dexScreenerLists).map(([name, path]) => {
    const list = `dexscreener:${name}`;
    return listAt(list, { source, path }, (json) =>
      listedTokens(json)?.map(({ chain, token, links }) => ({ list, chain, contract: token, links })),
    );
  });
}

/** GeckoTerminal's pools of each chain that trend in the last hour, and its new ones. */
export function geckoTerminalListsOf(source: LimitedSource, chains: readonly string[]): readonly List[] {
  return chains.flatMap((chain) => {
    const network = networkOf(chain);
    const lists = {
      trending: 'trending_pools?include=base_token&duration=1h',
      new: 'new_pools?include=base_token',
    };
    return Object.entries(lists).map(([name, below]) => {
      const list = `geckoterminal:${name}`;
      return listAt(list, { source, path: `/networks/${network}/${below}` }, (json) =>
        geckoTerminalPools(json, network)?.map(({ token, links, trades }) => ({
          list,
          chain: chainOf(network),
          contract: token,
          links,
          buyers1h: trades.h1?.buyers,
        })),
      );
    });
  });
}

function listAt(
  name: string,
  { source, path }: { readonly source: LimitedSource; readonly path: string },
  findsOf: (json: unknown) => readonly Find[] | undefined,
): List {
  return {
    name,
    path,
    read: async (stopping) => {
      const answer = await source.get(path, stopping);
      if (answer.kind !== 'answered') return { problem: answer.reason };
      const finds = findsOf(answer.json);
      // Whoever writes into a list could name anything.
      return (
        finds?.filter(({ contract }) => isAddress(contract)) ?? {
          problem: `the answer to ${path} is not in the source's format`,
        }
      );
    },
  };
}
