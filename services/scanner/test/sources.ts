import { createServer, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '@sigcast/testing';

/** A token as the test's sources have it. Every member can be nonsense. */
export type TestToken = {
  readonly chain?: string;
  readonly contract: string;
  readonly symbol?: unknown;
  readonly pairs?: readonly object[];
  readonly info?: object;
  readonly isPaid?: boolean;
};

const hourMs = 3_600_000;

/** A pair of a token that is `new` an hour after its birth, with some members changed. */
export function pairOf({ chain = 'base', contract, symbol = 'NOVA' }: TestToken, change: object = {}) {
  return {
    chainId: chain,
    pairAddress: `pair-of-${contract}`,
    baseToken: { address: contract, name: `Token ${contract}`, symbol },
    quoteToken: { address: '0xusd', name: 'US dollar', symbol: 'USD' },
    marketCap: 100_000,
    liquidity: { usd: 20_000 },
    txns: { h1: { buys: 60, sells: 40 }, h24: { buys: 60, sells: 40 } },
    volume: { h1: 10_000, h24: 10_000 },
    priceChange: { h1: 20 },
    pairCreatedAt: Date.now() - hourMs,
    ...change,
  };
}

/** What is known of a token without risks. */
export const safeInfo = {
  holders: { count: 321, distribution_percentage: { top_10: '24.5' } },
  mint_authority: 'no',
  freeze_authority: 'no',
  is_honeypot: 'no',
};

/** Answers a request in another way. Undefined: as usual. */
type Fault = (res: ServerResponse, path: string) => true | undefined;

/** Both sources, outside the system: DexScreener, and GeckoTerminal below `/api/v2`. Tokens are named by all lists. */
export type TestSources = {
  readonly url: string;
  readonly tokens: Map<string, TestToken>;
  /** The paths of all requests. */
  readonly requests: { readonly atMs: number; readonly path: string }[];
  fault: Fault | undefined;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function startSources(): Promise<TestSources> {
  const tokens = new Map<string, TestToken>();
  const listed = () => [...tokens.values()];
  const entries = () =>
    listed().map(({ chain = 'base', contract }) => ({ chainId: chain, tokenAddress: contract }));
  const routes: readonly (readonly [RegExp, (parts: readonly string[]) => unknown])[] = [
    [/^\/(?:token-profiles|token-boosts)\/(?:latest|top)\/v1$/, entries],
    [/^\/community-takeovers\/latest\/v1$/, () => null],
    [
      /^\/tokens\/v1\/([^/]+)\/(.+)$/,
      ([chain, addresses = '']) =>
        addresses.split(',').flatMap((address) => {
          const token = tokens.get(decodeURIComponent(address));
          return token && (token.chain ?? 'base') === chain ? (token.pairs ?? [pairOf(token)]) : [];
        }),
    ],
    [
      /^\/orders\/v1\/[^/]+\/(.+)$/,
      ([address = '']) => (tokens.get(address)?.isPaid ? [{ type: 'tokenProfile', status: 'approved' }] : []),
    ],
    [/^\/api\/v2\/networks\/[^/]+\/(?:trending|new)_pools$/, () => ({ data: [] })],
    [
      /^\/api\/v2\/networks\/[^/]+\/tokens\/([^/]+)\/info$/,
      ([address = '']) => ({ data: { attributes: tokens.get(address)?.info ?? safeInfo } }),
    ],
  ];
  const server = createServer((req, res) => {
    const path = req.url?.split('?')[0] ?? '';
    sources.requests.push({ atMs: Date.now(), path });
    if (sources.fault?.(res, path)) return;
    for (const [pattern, answer] of routes) {
      const found = pattern.exec(path);
      if (found) return void sendJson(res, 200, answer(found.slice(1)));
    }
    sendJson(res, 404, {});
  });
  const sources: TestSources = {
    url: await listenOnLoopback(server),
    tokens,
    requests: [],
    fault: undefined,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return sources;
}

export function sendJson(res: ServerResponse, status: number, body: unknown, headers: object = {}): true {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  return true;
}
