import { createServer, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '@sigcast/testing';

/** A token as the test market has it; amounts in US dollars. */
export type TestToken = {
  readonly mcap: number;
  readonly liquidity: number;
  readonly volume24h?: number;
  readonly holders?: number;
};

/** The chain of tokens where a test does not say otherwise. */
export const testChain = 'test';

/** A request that the market got. */
export type MarketRequest = {
  readonly atMs: number;
  readonly path: string;
  readonly contracts: readonly string[];
};

/** Answers a request in another way. Undefined: the market answers as usual. */
type Fault = (res: ServerResponse, contracts: readonly string[], index: number) => true | undefined;

/** A market outside the system, in DexScreener's format, and in GeckoTerminal's below `/networks`. Tokens that it does not know have no pairs. */
export type TestMarket = {
  readonly url: string;
  /** By contract, of other chains than the usual one by `chain:contract`. */
  readonly tokens: Map<string, TestToken>;
  readonly requests: MarketRequest[];
  /** What is wrong with the market; undefined: nothing. */
  fault: Fault | undefined;
  /** Lets requests wait until the returned function is called. */
  hold(): () => void;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts a market on loopback. */
export async function startMarket(): Promise<TestMarket> {
  let held: Promise<void> | undefined;
  const server = createServer((req, res) => {
    const path = decodeURIComponent(req.url?.split('?')[0] ?? '');
    const contracts =
      path
        .replace(/\/info$/, '')
        .split('/')
        .at(-1)
        ?.split(',') ?? [];
    const [, chain] = /^\/tokens\/v1\/([^/]+)/.exec(path) ?? [];
    const index = market.requests.push({ atMs: Date.now(), path, contracts }) - 1;
    const answer = () => {
      if (market.fault?.(res, contracts, index)) return;
      if (path.endsWith('/info')) {
        const [holders] = contracts.map((contract) => market.tokens.get(contract)?.holders);
        return sendJson(res, holders === undefined ? 404 : 200, {
          data: { attributes: { holders: { count: holders } } },
        });
      }
      if (path.startsWith('/networks/')) return sendJson(res, 200, topPoolsOf(contracts, market.tokens));
      const pairs = contracts.flatMap((contract) => {
        const token = market.tokens.get(
          chain === undefined || chain === testChain ? contract : `${chain}:${contract}`,
        );
        return token ? [pairOf(contract, token, chain)] : [];
      });
      const older = { schemaVersion: '1.0.0', pairs: pairs.length === 0 ? null : pairs };
      sendJson(res, 200, chain === undefined ? older : pairs);
    };
    if (held) void held.then(answer);
    else answer();
  });
  const market: TestMarket = {
    url: await listenOnLoopback(server),
    tokens: new Map(),
    requests: [],
    fault: undefined,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return market;
}

export function sendJson(res: ServerResponse, status: number, body: unknown): true {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return true;
}

/** Tokens and their pools, in GeckoTerminal's format. */
function topPoolsOf(contracts: readonly string[], tokens: ReadonlyMap<string, TestToken>) {
  const known = contracts.flatMap((contract) => {
    const token = tokens.get(contract);
    return token ? [{ contract, ...token }] : [];
  });
  return {
    data: known.map(({ contract }) => ({ type: 'token', attributes: { address: contract } })),
    included: known.map(({ contract, mcap, liquidity, volume24h = 1 }) => ({
      type: 'pool',
      attributes: {
        address: `pool-of-${contract}`,
        fdv_usd: String(mcap),
        reserve_in_usd: String(liquidity),
        volume_usd: { h24: String(volume24h) },
      },
      relationships: { base_token: { data: { id: `${testChain}_${contract}` } } },
    })),
  };
}

export function pairOf(
  contract: string,
  { mcap, liquidity, volume24h = 1 }: TestToken,
  chainId: string = testChain,
) {
  return {
    chainId,
    pairAddress: `pair-of-${contract}`,
    baseToken: { address: contract, name: 'Test', symbol: 'TEST' },
    marketCap: mcap,
    liquidity: { usd: liquidity },
    volume: { h24: volume24h },
  };
}
