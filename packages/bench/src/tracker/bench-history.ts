import { setTimeout } from 'node:timers/promises';
import { type Backtest, sampleOf, tokenSchema } from '@sigcast/contracts';
import { startSystem } from '@sigcast/local';
import { testStack } from '@sigcast/testing';
import { type Connection, createConnection } from 'mongoose';
import { apiReader } from '../api-reader.ts';
import { benchStores } from '../bench-stores.ts';
import { openAccess } from '../open-access.ts';
import { percentile } from '../reads/steady-reads.ts';
import { atMost, say } from '../report.ts';

/** About as many observations as the default schedule makes of a signal in 30 days: 60 + 276 + 696. */
const rowsOfSignal = 1_000;
const reads = 400;
const readsAtOnce = 2;
const minuteMs = 60_000;

/**
 * `bench history [SMALL] [LARGE]`: how long a signal's history takes through the gateway, and how large an observation is,
 * with SMALL and LARGE observations in the store (500,000 and 5,000,000 unless given), 1,000 of each signal. Also how long a
 * signal, a page of twenty and the statistics of all signals take as of random instants; and, with at most 10,000 signals, a
 * backtest of all of them, and histories meanwhile.
 */
export async function benchHistory(
  scope: AsyncDisposableStack,
  [small = '500000', large = '5000000']: readonly string[],
) {
  const { dataDir, backing } = await benchStores(scope);
  const stores = scope.use(testStack(backing));
  for (const name of ['gateway', 'signals', 'stats', 'webhooks']) stores.database(name);
  const database = stores.database('tracker');
  const system = scope.use(await startSystem({ stores, dataDir, report: () => undefined }));
  const { key } = await openAccess(system);
  const get = apiReader(scope, system.gatewayUrl, key);
  const connection = await createConnection(stores.mongodbUri, { dbName: database }).asPromise();
  scope.defer(() => connection.close());

  let filled = 0;
  const p99: number[] = [];
  for (const size of [Number(small), Number(large)]) {
    const startedAt = performance.now();
    for (; filled < size / rowsOfSignal; filled++) await fill(connection, filled);
    const seconds = (performance.now() - startedAt) / 1_000;
    say(`${size} observations of ${filled} signals in the store (${seconds.toFixed(0)} s)`);
    const bytes = await storedBytes(connection);
    if (bytes !== undefined) say(`  ${(bytes / size).toFixed(0)} bytes each, with the index`);
    let asked = 0;
    const some = () => signalId((asked++ * 7_919) % filled);
    const instant = () => new Date(Date.now() - (2 + ((asked * 7_919) % 900)) * minuteMs).toISOString();
    const show = async (what: string, count: number, path: () => string, isWhole: IsWhole) => {
      await measure(get, path, count / 4, isWhole); // warms up
      const took = await measure(get, path, count, isWhole);
      const [half, most] = [percentile(took, 0.5), percentile(took, 0.99)];
      say(`  ${what}: p50 ${half.toFixed(1)} ms, p99 ${most.toFixed(1)} ms`);
      return most;
    };
    const historyOf = () => `/v1/signals/${some()}/history?resolution=1h`;
    p99.push(await show("a signal's history", reads, historyOf, isHistory));
    await show(
      'a signal as of an instant',
      reads,
      () => `/v1/signals/${some()}?as_of=${instant()}`,
      ({ data }) => data !== undefined,
    );
    await show(
      'a page as of an instant',
      reads,
      () => `/v1/signals?as_of=${instant()}&status=active`,
      ({ data }) => (data as unknown[]).length === 20,
    );
    if (filled <= 10_000) {
      await show(
        `statistics of ${filled} signals as of an instant`,
        20,
        () => `/v1/stats?as_of=${instant()}&period=24h&include=distribution`,
        ({ data }) => (data as { total_signals?: number }).total_signals === filled,
      );
      const api = { post: apiPoster(system.gatewayUrl, key), get };
      let isRunning = true;
      const running = backtest(api, filled).finally(() => {
        isRunning = false;
      });
      const beside: number[] = [];
      while (isRunning) {
        beside.push(...(await measure(get, historyOf, readsAtOnce * 4, isHistory)));
      }
      const { seconds, trades } = await running;
      say(`  a backtest of ${filled} signals: ${seconds.toFixed(1)} s, ${trades} trades`);
      const [half, most] = [percentile(beside, 0.5), percentile(beside, 0.99)];
      say(`  a signal's history beside it: p50 ${half.toFixed(1)} ms, p99 ${most.toFixed(1)} ms`);
    }
  }
  const [one = 0, other = 0] = p99;
  atMost(`p99 with ${large} / with ${small}`, other / one, { bound: 2, digits: 2 });
}

const isHistory: IsWhole = ({ data }) => ((data as { buckets?: unknown[] }).buckets?.length ?? 0) >= 2;

/** A backtest over all signals. @returns how long it took, from the request to its result, and its trades. */
async function backtest(
  { post, get }: { readonly post: ReturnType<typeof apiPoster>; readonly get: ReturnType<typeof apiReader> },
  signals: number,
): Promise<{ readonly seconds: number; readonly trades: number }> {
  const startedAt = performance.now();
  const since = new Date(Date.now() - 2 * rowsOfSignal * minuteMs).toISOString();
  const { id } = await post('/v1/backtests', { filters: { since }, target: null, stop: null });
  for (;;) {
    await setTimeout(200);
    const { body } = await get(`/v1/backtests/${id}`);
    const { status, error, result } = body.data as Backtest;
    if (status === 'failed') throw new Error(`the backtest failed: ${error}`);
    if (result?.signals === signals) {
      return { seconds: (performance.now() - startedAt) / 1_000, trades: result.trades };
    }
  }
}

/** Sends JSON with an API key. @returns `data` of the answer. @throws when the answer is a failure. */
function apiPoster(url: string, key: string) {
  return async (path: string, body: object): Promise<{ readonly id: string }> => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: { id: string } }).data;
  };
}

type IsWhole = (body: { readonly data?: unknown }) => boolean;

/** @returns how long requests took, in milliseconds. @throws when an answer is a failure, or not whole. */
async function measure(
  get: ReturnType<typeof apiReader>,
  path: () => string,
  count: number,
  isWhole: IsWhole,
): Promise<readonly number[]> {
  const took: number[] = [];
  const work = async () => {
    while (took.length < count) {
      const startedAt = performance.now();
      const { status, body } = await get(path());
      if (status !== 200 || !isWhole(body))
        throw new Error(`${status} ${JSON.stringify(body).slice(0, 500)}`);
      took.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, work));
  return took;
}

function signalId(index: number): string {
  return `sig_${index.toString(36).toUpperCase().padStart(26, '0')}`;
}

/** Stores a signal's observations as the tracker does, a minute apart. */
async function fill(connection: Connection, index: number): Promise<void> {
  const id = signalId(index);
  const createdAt = Date.now() - rowsOfSignal * minuteMs;
  const rows = Array.from({ length: rowsOfSignal }, (_, row) => ({
    _id: `${id}:${(row + 1).toString(36).padStart(6, '0')}`,
    at: new Date(createdAt + row * minuteMs),
    recorded_at: new Date(createdAt + row * minuteMs + 300),
    known_at: new Date(createdAt + row * minuteMs + 350),
    mcap: 100_000.5 + row,
    mcap_ath: 100_000.5 + row,
    ath_hours: Math.round((row / 60) * 100) / 100,
    liquidity: 20_000.25 + row,
    volume: 5_000.75,
    holders: 120,
    source: 'tracker',
    ...(row === 0 && { status: 'active' }),
  }));
  await connection
    .collection('observations')
    .insertMany(rows as unknown as { _id: never }[], { ordered: false });
  const revs_known: Record<string, number> = {};
  for (const [row, { known_at }] of rows.entries())
    revs_known[`d${Math.floor(known_at.getTime() / (24 * 60 * minuteMs))}`] = row + 1;
  await connection.collection('tracked').insertOne({
    _id: id as never,
    rev: rowsOfSignal,
    contract: '0x01',
    status: 'active',
    symbol_key: 'BENCH',
    contract_key: '0x01',
    type: 'new',
    is_premium: false,
    revs_known,
    known_at: rows[0]?.known_at,
    token: sampleOf(tokenSchema, { symbol: 'BENCH', contract: '0x01' }),
    mcap_entry: 100_000.5,
    mcap_ath: 100_000.5 + rowsOfSignal - 1,
    ath_hours: 16.65,
    liquidity_entry: 20_000.25,
    created_at: new Date(createdAt),
  });
}

/** The size of the collection and its index; undefined where the store does not say. */
async function storedBytes(connection: Connection): Promise<number | undefined> {
  try {
    const stats = (await connection.db?.command({ collStats: 'observations' })) as {
      storageSize?: number;
      totalIndexSize?: number;
    };
    return (stats.storageSize ?? 0) + (stats.totalIndexSize ?? 0) || undefined;
  } catch {
    return undefined;
  }
}
