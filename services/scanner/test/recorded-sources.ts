import { createServer, type ServerResponse } from 'node:http';
import { seededRandom } from '@sigcast/runtime';
import { listenOnLoopback } from '@sigcast/testing';
import { keyOf, linesOf } from './recording/second-signals.ts';

type Pair = {
  readonly chainId: string;
  readonly baseToken: { readonly address: string };
  readonly quoteToken: { readonly address: string };
  readonly pairCreatedAt?: number;
};

/** What a recording says of its market at first: each list, and each token with the last that was said of its holders and risks. */
export type FirstAnswers = {
  readonly beganAtMs: number;
  readonly lists: ReadonlyMap<string, unknown>;
  /** By `<chain>:<address>`. */
  readonly pairs: ReadonlyMap<string, readonly Pair[]>;
  /** Answers to `…/info` and `/orders/…`, by path; undefined for 404. */
  readonly facts: ReadonlyMap<string, unknown>;
};

export function firstAnswers(file: string): FirstAnswers {
  const lines = linesOf(file);
  const answered = lines.filter((line) => 'json' in line);
  const first = answered.toReversed();
  const isOfMarkets = (path: string) => path.startsWith('/tokens/v1/');
  const isOfOne = (path: string) => path.endsWith('/info') || path.startsWith('/orders/');
  const pairs = first
    .filter(({ path }) => isOfMarkets(path))
    .flatMap(({ path, json }) => {
      const [, , , chain = '', addresses = ''] = path.split('/');
      // A token is asked about with the pairs that it is the quote of.
      const isOf =
        (address: string) =>
        ({ chainId, baseToken, quoteToken }: Pair) =>
          chainId === chain && [baseToken, quoteToken].some((each) => keyOf(each.address) === keyOf(address));
      return addresses
        .split(',')
        .map((address) => [`${chain}:${keyOf(address)}`, (json as Pair[]).filter(isOf(address))] as const);
    });
  return {
    beganAtMs: Date.parse(lines[0]?.at ?? ''),
    lists: new Map(
      first.filter(({ path }) => !isOfMarkets(path) && !isOfOne(path)).map(({ path, json }) => [path, json]),
    ),
    pairs: new Map(pairs),
    facts: new Map(answered.filter(({ path }) => isOfOne(path)).map(({ path, json }) => [path, json])),
  };
}

/** Faults of sources: of any answer, and those that are like an answer. None of them is a fault that a client could not notice. */
const anyFaults: readonly ((res: ServerResponse) => void)[] = [
  (res) => void res.writeHead(429, { 'retry-after': '1' }).end('{}'),
  (res) => void res.writeHead(429).end('{}'),
  (res) => void res.writeHead(503).end('{}'),
  (res) => void res.writeHead(502, { 'content-type': 'text/html' }).end('<html>'),
  (res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  (res) => void res.writeHead(200, { age: '3600' }).end('[]'),
  (res) => void res.end('null'),
  (res) => void res.destroy(),
];
const hostile = { name: 'No\u202eva', symbol: '\u202e'.repeat(200) };
const pairFaults: readonly ((pair: Pair) => object)[] = [
  (pair) => ({ ...pair, baseToken: pair.quoteToken, quoteToken: pair.baseToken }),
  (pair) => ({ ...pair, marketCap: 1e15, fdv: 1e15, liquidity: { usd: 1e14 } }),
  (pair) => ({ ...pair, marketCap: 0, liquidity: { usd: '20000' } }),
  (pair) => ({ ...pair, txns: { h1: { buys: -1, sells: 'none' } } }),
  (pair) => ({ ...pair, baseToken: { ...pair.baseToken, ...hostile } }),
];
const hostileLinks = [
  { type: 'twitter', url: 'javascript:alert(1)' },
  { type: 'telegram', url: `https://t.me/${'a'.repeat(400)}` },
  { url: 'https://user:password@nova.example' },
];

/**
 * Both sources as a recording has them at first, word for word; only times of births are moved, so that tokens are as old as they
 * were. Three in ten answers are faults.
 */
export async function startRecordedSources({ beganAtMs, lists, pairs, facts }: FirstAnswers, seed: number) {
  const random = seededRandom(seed);
  const any = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const counts = { requests: 0, faults: 0, markets: 0 };
  const aged = (pair: Pair) =>
    pair.pairCreatedAt === undefined
      ? pair
      : { ...pair, pairCreatedAt: pair.pairCreatedAt + Date.now() - beganAtMs };

  const answerOf = (path: string, change: (pair: Pair) => object): unknown => {
    if (!path.startsWith('/tokens/v1/')) return lists.get(path) ?? facts.get(path);
    counts.markets += 1;
    const [, , , chain = '', addresses = ''] = path.split('/');
    return addresses
      .split(',')
      .flatMap((address) => pairs.get(`${chain}:${keyOf(decodeURIComponent(address))}`) ?? [])
      .map((pair) => change(aged(pair) as Pair));
  };
  const server = createServer((req, res) => {
    const path = (req.url ?? '').replace(/^\/api\/v2/, '');
    const isFault = random() < 0.3;
    counts.requests += 1;
    if (isFault) counts.faults += 1;
    const isMarket = path.startsWith('/tokens/v1/');
    const isList = path.startsWith('/token-');
    const isLikeAnAnswer = isFault && (isMarket || isList) && random() < 0.5;
    if (isFault && !isLikeAnAnswer) return any(anyFaults)(res);
    if (!isMarket && !lists.has(path) && !facts.has(path)) return void res.writeHead(404).end('{}');
    const answer = answerOf(path, isLikeAnAnswer ? any(pairFaults) : (pair) => pair);
    const withLinks = (entry: object) => ({ ...entry, links: hostileLinks });
    const sent = isLikeAnAnswer && isList ? (answer as object[]).map(withLinks) : answer;
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(sent));
  });
  return {
    url: await listenOnLoopback(server),
    counts,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
