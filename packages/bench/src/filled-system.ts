import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { eventTopology } from '@sigcast/contracts';
import type { BackingServices } from '@sigcast/local';
import { startSystem } from '@sigcast/local';
import { connect } from 'amqplib';
import { Pool } from 'undici';
import { openAccess } from './open-access.ts';

const types = ['new', '3d', '7d', '30d', 'wallet', 'premium'] as const;
const endings = ['winner', 'dead', 'rugged'] as const;
/** Signals lie evenly over this time. */
const spanMs = 60 * 24 * 3_600_000;
const linesPerImport = 50_000;
/** One signal in this many has ended, in each of the three ways in turn. */
const oneEndedIn = 50;
const patchesAtOnce = 16;

/** A whole system with signals in it, and ways to ask it. */
export type FilledSystem = {
  readonly size: number;
  /** The newest page's `meta.next_cursor` at the far end of the list: nothing but the last page follows it. */
  readonly deepestCursor: string;
  /** Ids of some signals, over the whole list. */
  readonly ids: readonly string[];
  get(path: string): Promise<{ status: number; body: ApiBody }>;
  /** Starts the system, which doesn't run while nobody asks it. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type ApiBody = {
  readonly data: unknown;
  readonly meta?: { readonly total: number; readonly next_cursor: string | null };
};

/**
 * A system of its own on the given stores, into which `size` signals were put through its public doors. Webhooks are
 * nobody's here: their worker stays away until all is stored, and what was for it is dropped.
 */
export async function filledSystem(
  scope: AsyncDisposableStack,
  given: { stores: BackingServices; size: number; dataDir: string; say: (line: string) => void },
): Promise<FilledSystem> {
  const { stores, size, dataDir, say } = given;
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
  const api = new Pool(system.gatewayUrl, { connections: 32, pipelining: 1 });
  const producer = new Pool(system.signalsUrl, { connections: patchesAtOnce, pipelining: 1 });
  scope.defer(() => Promise.all([api.destroy(), producer.destroy()]).then(() => undefined));

  const get = async (path: string) => {
    const { statusCode, body } = await api.request({
      path,
      method: 'GET',
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: statusCode, body: (await body.json()) as ApiBody };
  };
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
    await write('POST', '/import', 'application/x-ndjson', Readable.from(lines(from, to, size)));
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
  await seeTotals(get, size, { winners, ended: ids.length });
  const all = Object.values(system.processes);
  const stop = async () => void (await Promise.all(all.map((process) => process.stop())));
  await stop();
  return {
    size,
    ids,
    deepestCursor,
    get,
    start: async () => void (await Promise.all(all.map((process) => process.start()))),
    stop,
  };
}

function* lines(from: number, to: number, size: number): Generator<string> {
  const newest = Date.now() - 1_000;
  for (let index = from; index < to; index += 1) {
    const line = {
      token: {
        symbol: `T${index}`,
        name: `Token ${index}`,
        contract: `0x${index.toString(16).padStart(40, '0')}`,
        age_hours: index % 1_000,
        dex_paid: index % 2 === 0,
        socials: { twitter: `https://x.com/t${index}` },
      },
      metrics: {
        mcap_entry: 100_000,
        mcap_current: 50_000 + (index % 200_000),
        volume_24h: 50_000,
        holders: 321,
        liquidity: 20_000,
      },
      type: types[index % types.length],
      is_premium: index % 7 === 0,
      created_at: new Date(newest - Math.floor((spanMs * (size - index)) / size)).toISOString(),
    };
    yield `${JSON.stringify(line)}\n`;
  }
}

/** Reads the whole list from page to page, and sees that it is whole. */
async function followCursors(get: FilledSystem['get'], size: number) {
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

/** Waits until statistics have every change. */
async function untilExact(
  get: FilledSystem['get'],
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

/** Sees that the list's totals agree. */
async function seeTotals(
  get: FilledSystem['get'],
  size: number,
  { winners, ended }: { winners: number; ended: number },
) {
  for (const [query, expected] of [
    ['', size],
    ['status=winner', winners],
    ['status=active', size - ended],
    ['type=new', Math.ceil(size / types.length)],
  ] as const) {
    const { body } = await get(`/v1/signals?limit=1&${query}`);
    if (body.meta?.total !== expected)
      throw new Error(`total of ${query}: ${body.meta?.total}, not ${expected}`);
  }
}
