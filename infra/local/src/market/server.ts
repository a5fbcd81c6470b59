import { createServer, type Server, type ServerResponse } from 'node:http';
import { seededRandom } from '@sigcast/runtime';
import { marketAt, type Token, tokenOf } from './token.ts';

/** The most addresses in one request, as at DexScreener. */
const maxAddresses = 30;

/** The most requests a minute, as DexScreener allows for tokens. */
const requestsPerMinute = 300;

type MarketServerOptions = {
  /** Decides which answers are faults. */
  readonly seed: number;
  /** The share of answers that are faults (refused, broken, or without one of the tokens), from 0 to 1. */
  readonly faults: number;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
};

/** Kinds of faults; each is equally likely. */
const faultKinds = ['refused', 'server-error', 'page', 'cut', 'text-for-numbers', 'gap'] as const;
type FaultKind = (typeof faultKinds)[number];

/**
 * The simulated market's server: `GET /latest/dex/tokens/{addresses}` in DexScreener's format, for up to 30 addresses
 * separated by commas. Every token has several pairs. Answers 429 with `Retry-After` beyond 300 requests a minute.
 */
export function marketServer({ seed, faults, now = Date.now }: MarketServerOptions): Server {
  const random = seededRandom(seed);
  let minute = 0;
  let requests = 0;
  return createServer((req, res) => {
    const addresses = /^\/latest\/dex\/tokens\/([0-9A-Za-z,]+)$/.exec(req.url ?? '')?.[1]?.split(',');
    if (req.url === '/healthz') return answer(res, 200, { status: 'ok' });
    if (!addresses || req.method !== 'GET') return answer(res, 404, { error: 'there is nothing here' });
    if (addresses.length > maxAddresses) return answer(res, 400, { error: 'at most 30 addresses' });
    const thisMinute = Math.floor(now() / 60_000);
    if (thisMinute !== minute) [minute, requests] = [thisMinute, 0];
    requests += 1;
    const fault = random() < faults ? faultKinds[Math.floor(random() * faultKinds.length)] : undefined;
    if (requests > requestsPerMinute || fault === 'refused') {
      const waitS = fault === 'refused' ? 1 : 60 - (Math.floor(now() / 1_000) % 60);
      res.setHeader('retry-after', waitS);
      return answer(res, 429, { error: 'too many requests' });
    }
    const tokens = addresses.flatMap((address) => tokenOf(address) ?? []);
    if (!answeredBroken(res, fault)) answer(res, 200, pairsOf(tokens, now(), fault));
  });
}

/** Answers with an error, or with something other than JSON, if the fault is one of these. @returns whether it is. */
function answeredBroken(res: ServerResponse, fault: FaultKind | undefined): boolean {
  if (fault === 'server-error') answer(res, 503, { error: 'away' });
  else if (fault === 'page') res.setHeader('content-type', 'text/html').end('<html>Just a moment …</html>');
  else if (fault === 'cut')
    res.setHeader('content-type', 'application/json').end('{"schemaVersion":"1.0.0","pa');
  else return false;
  return true;
}

function answer(res: ServerResponse, status: number, body: object): void {
  res.statusCode = status;
  res.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}

function pairsOf(tokens: readonly Token[], atMs: number, fault: FaultKind | undefined) {
  const known = fault === 'gap' ? tokens.slice(1) : tokens;
  const pairs = known.flatMap((token) => pairsOfToken(token, atMs));
  if (fault !== 'text-for-numbers') return { schemaVersion: '1.0.0', pairs };
  return { schemaVersion: '1.0.0', pairs: pairs.map((pair) => ({ ...pair, marketCap: 'n/a', fdv: 'n/a' })) };
}

/** Three pairs of a token: the main pool, a small pool with an old price, and a large pool without a market cap. */
function pairsOfToken(token: Token, atMs: number) {
  const market = marketAt(token, atMs);
  const stale = marketAt(token, token.bornAtMs);
  if (!market || !stale) return [];
  const pair = (name: string, { mcap, liquidity, volume24h }: NonNullable<typeof market>, share: number) => ({
    chainId: 'simulated',
    dexId: name,
    pairAddress: `${token.address}-${name}`,
    baseToken: { address: token.address, name: 'Simulated', symbol: 'SIM' },
    quoteToken: { address: '0xusd', name: 'US dollar', symbol: 'USD' },
    marketCap: mcap,
    fdv: mcap,
    liquidity: { usd: Math.round(liquidity * share * 100) / 100 },
    volume: { h24: Math.round(volume24h * share * 100) / 100 },
    pairCreatedAt: token.bornAtMs,
  });
  const { marketCap: _mcap, fdv: _fdv, ...unpriced } = pair('unpriced', market, 2);
  return [pair('small', stale, 0.0001), unpriced, pair('main', market, 1)];
}
