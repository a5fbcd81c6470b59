import {
  geckoTerminalHeaders,
  httpSource,
  limitedSource,
  redisPermits,
  type Source,
  type SourceAnswer,
} from '@sigcast/market';
import type { RedisClient } from '@sigcast/redis';
import { backoffMs, type Resources } from '@sigcast/runtime';
import type { SourcesConfig } from '../config.ts';
import type { SourceName } from '../metrics.ts';
import { dexScreenerListsOf, geckoTerminalListsOf, type List } from './lists.ts';
import type { FigureSources } from './markets.ts';

/** The timeout of a request to a source, in milliseconds. */
const requestMs = 10_000;
/** The pauses after failures of a source. */
const pauses = { firstMs: 200, maxMs: 60_000 };

/** The sources that settings name: their lists of candidates, and their figures. */
export type ConnectedSources = { readonly lists: readonly List[]; readonly figures: FigureSources };

/**
 * Connects to the sources that settings name, each with its limit over all processes that share a Redis.
 * @param answered is told how each request ended. @param wrap changes a source below its limit
 * @returns undefined where no source of markets is set
 */
export function connectSources(
  config: SourcesConfig,
  {
    redis,
    answered,
    wrap = (_name, source) => source,
  }: {
    readonly redis: RedisClient;
    readonly answered: (name: SourceName, answer: SourceAnswer) => void;
    readonly wrap?: (name: SourceName, source: Source) => Source;
  },
  resources: Resources,
): ConnectedSources | undefined {
  const limited = (
    name: SourceName,
    url: string,
    perMinute: number,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const source = httpSource({ url, headers, timeoutMs: requestMs });
    resources.defer(() => source.close());
    return limitedSource(wrap(name, source), {
      permits: redisPermits(redis, { source: name, perMinute }),
      pauseMs: (failures) => backoffMs(failures, pauses),
      answered: (answer) => answered(name, answer),
    });
  };
  const { SCANNER_DEXSCREENER_URL: dexUrl, SCANNER_GECKOTERMINAL_URL: geckoUrl } = config;
  if (dexUrl === undefined) return undefined;
  const perMinute = config.SCANNER_DEXSCREENER_LISTS_PER_MINUTE;
  // Lists and facts share the limit, but not the pauses: facts are asked while lists fail.
  const geckoTerminal = () =>
    geckoUrl === undefined
      ? undefined
      : limited(
          'geckoterminal',
          geckoUrl,
          config.SCANNER_GECKOTERMINAL_PER_MINUTE,
          geckoTerminalHeaders(config.SCANNER_GECKOTERMINAL_KEY),
        );
  const pools = geckoTerminal();
  return {
    lists: [
      ...dexScreenerListsOf(limited('dexscreener-lists', dexUrl, perMinute)),
      ...(pools ? geckoTerminalListsOf(pools, config.SCANNER_CHAINS.split(',')) : []),
    ],
    figures: {
      markets: limited('dexscreener', dexUrl, config.SCANNER_DEXSCREENER_PER_MINUTE),
      orders: limited('dexscreener-orders', dexUrl, perMinute),
      facts: geckoTerminal(),
    },
  };
}
