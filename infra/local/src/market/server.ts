import { createServer, type Server, type ServerResponse } from 'node:http';
import { seededRandom } from '@sigcast/runtime';
import { type Births, newestTokens } from './births.ts';
import { listEntry, ordersOf, pairsOf } from './dexscreener-answers.ts';
import { infoOf, poolsOf, tokensWithPools } from './geckoterminal-answers.ts';
import { lives, tokenOf } from './token.ts';

/** The most addresses in one request, as at both sources. */
const maxAddresses = 30;
/** Tokens in a list. */
const listed = 30;

type MarketServerOptions = Births & {
  /** The share of answers that are faults (refused, broken, or without one of the tokens), from 0 to 1. `seed` decides which. */
  readonly faults: number;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
};

/** Kinds of faults; each is equally likely. */
const faultKinds = [
  'refused',
  'refused-silently',
  'server-error',
  'page',
  'cut',
  'null',
  'old',
  'text-for-numbers',
  'no-cap',
  'gap',
] as const;
type FaultKind = (typeof faultKinds)[number];

/** What a path answers: a body, or undefined for 404. `addresses` are those of the path, one by default. */
type Route = {
  readonly path: RegExp;
  /** Requests of one limit are counted together. */
  readonly limit: keyof typeof perMinute;
  readonly answer: (parts: readonly string[], atMs: number, fault: FaultKind | undefined) => unknown;
};

/** The most requests a minute, as the sources allow; more where lives are shorter than in the demo, as time passes faster there. */
const perMinute = { tokens: 300, lists: 60, orders: 60, geckoterminal: 30 } as const;

/**
 * The simulated market's server, in DexScreener's format and in GeckoTerminal's below `/api/v2`. Every token has several pairs. Lists
 * name the newest tokens. Answers 429 with `Retry-After` beyond the requests a minute that the real sources allow.
 */
export function marketServer({ faults, now = Date.now, ...births }: MarketServerOptions): Server {
  const random = seededRandom(births.seed);
  const counts = new Map<string, { minute: number; requests: number }>();
  const routes = routesOf(births);
  const pace = Math.max(1, lives.minutes / lives[births.life]);
  return createServer((req, res) => {
    const path = req.url?.split('?')[0] ?? '';
    if (path === '/healthz') return answer(res, 200, { status: 'ok' });
    const route = routes.find((each) => each.path.test(path));
    if (!route || req.method !== 'GET') return answer(res, 404, { error: 'there is nothing here' });
    const parts = (route.path.exec(path) ?? [])
      .slice(1)
      .flatMap((part) => decodeURIComponent(part).split(','));
    if (parts.length > maxAddresses) return answer(res, 400, { error: 'at most 30 addresses' });
    const minute = Math.floor(now() / 60_000);
    const before = counts.get(route.limit);
    const requests = before?.minute === minute ? before.requests + 1 : 1;
    counts.set(route.limit, { minute, requests });
    const fault = random() < faults ? faultKinds[Math.floor(random() * faultKinds.length)] : undefined;
    const isTooMany = requests > perMinute[route.limit] * pace;
    if (isTooMany || fault === 'refused' || fault === 'refused-silently') {
      const waitS = isTooMany ? 60 - (Math.floor(now() / 1_000) % 60) : 1;
      if (isTooMany || fault === 'refused') res.setHeader('retry-after', waitS);
      return answer(res, 429, { error: 'too many requests' });
    }
    if (answeredBroken(res, fault)) return;
    if (fault === 'old') res.setHeader('age', 3_600);
    const body = route.answer(parts, now(), fault);
    answer(res, body === undefined ? 404 : 200, body ?? { error: 'there is no such token' });
  });
}

function routesOf(births: Births): readonly Route[] {
  const tokensOf = (addresses: readonly string[], fault: FaultKind | undefined) => {
    const tokens = addresses.flatMap((address) => tokenOf(address) ?? []);
    return fault === 'gap' ? tokens.slice(1) : tokens;
  };
  const pairs = (addresses: readonly string[], atMs: number, fault: FaultKind | undefined) => {
    const found = pairsOf(tokensOf(addresses, fault), atMs);
    const cap = { 'text-for-numbers': 'n/a', 'no-cap': 0 }[fault as string];
    return cap === undefined ? found : found.map((pair) => ({ ...pair, marketCap: cap, fdv: cap }));
  };
  /** Each list names some of the newest tokens, some of them in several lists. */
  const list = (part: number, atMs: number) =>
    newestTokens(births, atMs, listed).filter((_, index) => index % 4 === part || index % 7 === part);
  const lists = [
    'token-profiles/latest',
    'token-boosts/latest',
    'token-boosts/top',
    'community-takeovers/latest',
  ];
  return [
    {
      path: /^\/latest\/dex\/tokens\/([0-9A-Za-z,%]+)$/,
      limit: 'tokens',
      answer: (...asked) => ({ schemaVersion: '1.0.0', pairs: pairs(...asked) }),
    },
    { path: /^\/tokens\/v1\/simulated\/([0-9A-Za-z,%]+)$/, limit: 'tokens', answer: pairs },
    ...lists.map(
      (name, part): Route => ({
        path: new RegExp(`^/${name}/v1$`),
        limit: 'lists',
        answer: (_, atMs) => list(part, atMs).map(listEntry),
      }),
    ),
    {
      path: /^\/orders\/v1\/simulated\/([0-9A-Za-z]+)$/,
      limit: 'orders',
      answer: ([address = ''], atMs) => ordersOf(address, atMs),
    },
    {
      path: /^\/api\/v2\/networks\/simulated\/(?:trending|new)_pools$/,
      limit: 'geckoterminal',
      answer: (_, atMs) => poolsOf(list(0, atMs), atMs),
    },
    {
      path: /^\/api\/v2\/networks\/simulated\/tokens\/multi\/([0-9A-Za-z,%]+)$/,
      limit: 'geckoterminal',
      answer: (addresses, atMs, fault) => tokensWithPools(tokensOf(addresses, fault), atMs),
    },
    {
      path: /^\/api\/v2\/networks\/simulated\/tokens\/([0-9A-Za-z]+)\/info$/,
      limit: 'geckoterminal',
      answer: ([address = ''], atMs) => infoOf(address, atMs),
    },
  ];
}

/** Answers with an error, or with something other than JSON, if the fault is one of these. @returns whether it is. */
function answeredBroken(res: ServerResponse, fault: FaultKind | undefined): boolean {
  if (fault === 'server-error') answer(res, 503, { error: 'away' });
  else if (fault === 'page') res.setHeader('content-type', 'text/html').end('<html>Just a moment …</html>');
  else if (fault === 'null') answer(res, 200, null);
  else if (fault === 'cut')
    res.setHeader('content-type', 'application/json').end('{"schemaVersion":"1.0.0","pa');
  else return false;
  return true;
}

function answer(res: ServerResponse, status: number, body: unknown): void {
  res.statusCode = status;
  res.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}
