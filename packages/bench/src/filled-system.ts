import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { eventTopology, signalTypes } from '@sigcast/contracts';
import type { BackingServices, System } from '@sigcast/local';
import { startSystem } from '@sigcast/local';
import { connect } from 'amqplib';
import { Pool } from 'undici';
import { type ApiReader, apiReader } from './api-reader.ts';
import { openAccess } from './open-access.ts';
import { signalLines } from './signal-lines.ts';

const endings = ['winner', 'dead', 'rugged'] as const;
const linesPerImport = 50_000;
/** One signal in this many ends, in each of the three ways in turn. */
const oneEndedIn = 50;
const patchesAtOnce = 16;

/** A whole system with signals in it. */
export type FilledSystem = {
  readonly size: number;
  /** The prefix of its databases' names. */
  readonly namespace: string;
  readonly system: System;
  /** A client's key without limits, and a producer's token. */
  readonly key: string;
  readonly token: string;
  /** The cursor of the last page of the list. */
  readonly deepestCursor: string;
  /** Ids of some signals, over the whole list. */
  readonly ids: readonly string[];
  readonly get: ApiReader;
  /** Starts the system, which is stopped while another one is measured. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts a system on the given stores and fills it over HTTP with `size` signals, created evenly over the last `days` (60)
 * days. There are no subscriptions: the webhooks worker does not run meanwhile, and its events are dropped.
 */
export async function filledSystem(
  scope: AsyncDisposableStack,
  given: {
    stores: BackingServices;
    size: number;
    days?: number;
    dataDir: string;
    say: (line: string) => void;
  },
): Promise<FilledSystem> {
  const { stores, size, days = 60, dataDir, say } = given;
  const namespace = `bench_${size}`;
  const system = scope.use(
    await startSystem({
      stores: { ...stores, namespace },
      dataDir: `${dataDir}/${size}`,
      report: () => undefined,
    }),
  );
  await system.processes['webhooks-worker'].stop();
  const { key, token } = await openAccess(system);
  const producer = new Pool(system.signalsUrl, { connections: patchesAtOnce, pipelining: 1 });
  scope.defer(() => producer.destroy());

  const get = apiReader(scope, system.gatewayUrl, key);
  const write = async (method: 'POST' | 'PATCH', path: string, type: string, content: string | Readable) => {
    const { statusCode, body } = await producer.request({
      path: `/internal/v1/signals${path}`,
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: content,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    if (statusCode !== 200) throw new Error(`${method} ${path}: ${statusCode} ${await body.text()}`);
    await body.dump();
  };

  const startedAt = performance.now();
  for (let from = 0; from < size; from += linesPerImport) {
    const to = Math.min(size, from + linesPerImport);
    await write(
      'POST',
      '/import',
      'application/x-ndjson',
      Readable.from(signalLines(from, to, { size, days })),
    );
    say(`  ${to} of ${size} imported after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
  await untilExact(get, { total_signals: size }, say);
  const { ids, deepestCursor } = await followCursors(get, size);
  await changeSome(ids, (id, status) =>
    write(
      'PATCH',
      `/${id}`,
      'application/json',
      JSON.stringify({ status, metrics: { mcap_current: 150_000 } }),
    ),
  );
  const winners = Math.ceil(ids.length / endings.length);
  await untilExact(get, { total_signals: size, winners }, say);
  await dropEvents(stores, namespace);
  await checkTotals(get, size, { winners, ended: ids.length });
  const all = Object.values(system.processes);
  const stop = async () => void (await Promise.all(all.map((process) => process.stop())));
  await stop();
  return {
    size,
    namespace,
    system,
    key,
    token,
    ids,
    deepestCursor,
    get,
    start: async () => void (await Promise.all(all.map((process) => process.start()))),
    stop,
  };
}

/** Reads the whole list, page by page. @throws when signals are missing. */
async function followCursors(get: ApiReader, size: number) {
  const ids: string[] = [];
  let seen = 0;
  let deepestCursor = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await get(`/v1/signals?limit=100${cursor && `&cursor=${cursor}`}`);
    if (status !== 200) throw new Error(`the list answers ${status}`);
    for (const { id } of body.data as { id: string }[]) {
      if (seen % oneEndedIn === 0) ids.push(id);
      seen += 1;
    }
    if (cursor !== '') deepestCursor = cursor;
    cursor = body.meta?.next_cursor ?? null;
  }
  if (seen !== size) throw new Error(`following cursors gave ${seen} of ${size} signals`);
  return { ids, deepestCursor };
}

async function changeSome(ids: readonly string[], change: (id: string, status: string) => Promise<void>) {
  const left = ids.entries();
  const worker = async () => {
    for (const [index, id] of left) await change(id, endings[index % endings.length] ?? 'dead');
  };
  await Promise.all(Array.from({ length: patchesAtOnce }, worker));
}

/** Waits until the statistics have every change. @throws when they do not change for a minute. */
async function untilExact(
  get: ApiReader,
  expected: Readonly<Record<string, number>>,
  say: (line: string) => void,
) {
  const startedAt = performance.now();
  let movedAt = startedAt;
  for (let last = ''; ; ) {
    const { body } = await get('/v1/stats');
    const figures = body.data as Readonly<Record<string, number>>;
    if (Object.entries(expected).every(([name, figure]) => figures[name] === figure)) break;
    const now = `${figures.total_signals} signals, ${figures.winners} winners`;
    if (now !== last) movedAt = performance.now();
    if (performance.now() - movedAt > 60_000) throw new Error(`statistics stay at ${now}`);
    last = now;
    await delay(250);
  }
  say(`  statistics exact ${((performance.now() - startedAt) / 1000).toFixed(1)} s after the last write`);
}

async function dropEvents(stores: BackingServices, namespace: string) {
  const model = await connect(stores.amqpUrl);
  const channel = await model.createChannel();
  const { fanout, bulkFanout } = eventTopology(namespace);
  for (const { queue } of [fanout, bulkFanout]) await channel.purgeQueue(queue);
  await model.close();
}

/** @throws when a total of the list is wrong. */
async function checkTotals(
  get: ApiReader,
  size: number,
  { winners, ended }: { winners: number; ended: number },
) {
  for (const [query, expected] of [
    ['', size],
    ['status=winner', winners],
    ['status=active', size - ended],
    ['type=new', Math.ceil(size / signalTypes.length)],
  ] as const) {
    const { body } = await get(`/v1/signals?limit=1&${query}`);
    if (body.meta?.total !== expected)
      throw new Error(`total of ${query}: ${body.meta?.total}, not ${expected}`);
  }
}
