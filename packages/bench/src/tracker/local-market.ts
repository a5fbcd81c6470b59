import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How long the market takes to answer, in milliseconds. */
const answerMs = 100;

/** A request about one token. */
export type Asked = { readonly contract: string; readonly atMs: number; readonly answeredAtMs: number };

/** A market in DexScreener's format, whose tokens neither win nor die. */
export type LocalMarket = { readonly url: string; readonly asked: Asked[]; requests: number };

/** Starts a market in this process, until `scope` ends. Every address is a token with one pair. */
export async function startLocalMarket(scope: AsyncDisposableStack): Promise<LocalMarket> {
  const server = createServer(async (req, res) => {
    const atMs = Date.now();
    const contracts = req.url?.split('/').at(-1)?.split(',') ?? [];
    market.requests += 1;
    await delay(answerMs);
    const pairs = contracts.map((address) => ({
      pairAddress: address,
      baseToken: { address },
      marketCap: 50_000 + Math.floor(Math.random() * 100_000),
      liquidity: { usd: 19_000 + Math.floor(Math.random() * 2_000) },
      volume: { h24: 1_000 },
    }));
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ schemaVersion: '1.0.0', pairs }));
    const answeredAtMs = Date.now();
    market.asked.push(...contracts.map((contract) => ({ contract, atMs, answeredAtMs })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const market: LocalMarket = { url: `http://127.0.0.1:${port}`, asked: [], requests: 0 };
  return market;
}
