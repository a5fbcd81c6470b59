import { cp, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type BackingServices,
  type ProcessName,
  type System,
  startBackingServices,
  startSystem,
} from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { Redis } from 'ioredis';
import { createConnection } from 'mongoose';
import { Pool } from 'undici';
import { say, sum } from './frame.ts';
import { childrensCpuS, cpuMs } from './processes.ts';
import { signalLines } from './signals.ts';

/**
 * Starts stores and a broker until `scope` ends, and makes a folder for data and logs.
 * @param env may name stores to use instead (`MONGODB_URI` and the like). Without it, the stores are the bench's own, and
 *   nobody else's load on them is measured.
 */
export async function benchStores(scope: AsyncDisposableStack, env: NodeJS.ProcessEnv = {}) {
  const dataDir = await newFolder();
  const backing = await startBackingServices({ dataDir, env, ephemeral: true, report: say });
  scope.defer(() => backing.stop());
  return { dataDir, backing };
}

/** What was used between the start of a measurement and its end. */
export type Used = {
  readonly seconds: number;
  readonly cpuS: ReadonlyMap<string, number>;
  /** Commands of the store by service and name; undefined where the store doesn't count them so. */
  readonly commands: ReadonlyMap<string, number> | undefined;
  /** Of Redis, each the one command of a request. */
  readonly redisScripts: number;
};

/** The whole system on stores of its own, with a client's key without limits and a producer. */
export type BenchSystem = {
  readonly system: System;
  readonly backing: BackingServices;
  /** Of the system's processes, by name. */
  readonly ports: Readonly<Record<string, number>>;
  /** Where the gateway's key for identities is. */
  readonly keysDir: string;
  /** A producer's token. */
  readonly token: string;
  /** Asks the API for a path. @throws when the connection breaks. */
  get(path: string): Promise<{ readonly status: number; readonly body: ApiBody }>;
  /** Sends to the producer's interface below /internal/v1/signals. @returns its data. @throws when it is refused. */
  produce<T>(method: 'POST' | 'PATCH', path: string, body: object | Readable): Promise<T>;
  /** Begins to measure; the answer ends it. */
  measure(): Promise<() => Promise<Used>>;
};

export type ApiBody = { readonly data: unknown; readonly meta?: { readonly next_cursor: string | null } };

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'sigcast-bench-'));
}

/** Starts the system, until `scope` ends: on stores of its own, or one more of each process on those of another. */
export async function benchSystem(scope: AsyncDisposableStack, other?: BenchSystem): Promise<BenchSystem> {
  const { dataDir, backing } =
    other === undefined ? await benchStores(scope) : { dataDir: await newFolder(), backing: other.backing };
  // All replicas use the same keys.
  if (other !== undefined) await cp(other.keysDir, join(dataDir, 'keys'), { recursive: true });
  const system = scope.use(
    await startSystem({
      stores: { ...backing, namespace: '' },
      dataDir,
      overrides: { LOG_LEVEL: 'warn' },
      report: () => undefined,
    }),
  );
  const { operator, processes } = system;
  const account = 'account@bench.example';
  await operator('plan', 'set', 'bench', '--per-minute', '100000000', '--per-day', '1000000000');
  await operator('account', 'create', '--email', account, '--plan', 'bench', '--if-missing');
  const { key } = await operator<{ key: string }>('key', 'create', '--account', account, '--name', 'bench');
  const { token } = await operator<{ token: string }>(
    ...['token', 'create', '--subject', 'bench', '--scope', 'signals:write'],
  );
  const api = new Pool(system.gatewayUrl, { connections: 32 });
  const producer = new Pool(system.signalsUrl, { connections: 64, headersTimeout: 0, bodyTimeout: 0 });
  scope.defer(() => Promise.all([api.destroy(), producer.destroy()]).then(() => undefined));
  const connection = await createConnection(backing.mongodbUri, { dbName: 'admin' }).asPromise();
  scope.defer(() => connection.close());

  const admin = connection.getClient().db('admin');
  const { pid: storePid } = await admin.command({ serverStatus: 1 });

  const commands = async () => {
    // Debian's store alone counts commands by database.
    const counts = await admin.command({ commandcounts: 1 }).catch(() => undefined);
    if (counts === undefined) return undefined;
    const all = Object.entries(counts.databases as Record<string, Record<string, number>>)
      .filter(([database]) => database.startsWith('sigcast_'))
      .flatMap(([database, own]) =>
        Object.entries(own).map(([name, count]) => [`${database.slice(8)} ${name}`, count] as const),
      );
    return new Map(all);
  };
  const redis = new Redis(backing.redisUrl);
  scope.defer(() => redis.disconnect());
  const redisScripts = async () =>
    Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(await redis.info('commandstats'))?.[1] ?? 0);
  const cpu = () => {
    const names = Object.values(processes).map(({ name, pid = 0 }) => [pid, name] as const);
    return childrensCpuS(new Map([[Number(storePid), 'store-gateway'], ...names]));
  };

  return {
    system,
    backing,
    ports: JSON.parse(await readFile(join(dataDir, 'service-ports.json'), 'utf8')) as Record<string, number>,
    keysDir: join(dataDir, 'keys'),
    token,
    get: async (path) => {
      const headers = { authorization: `Bearer ${key}` };
      const { statusCode, body } = await api.request({ path, method: 'GET', headers });
      return { status: statusCode, body: (await body.json()) as ApiBody };
    },
    produce: async <T>(method: 'POST' | 'PATCH', path: string, content: object | Readable) => {
      const isImport = path === '/import';
      const answer = await producer.request({
        path: `/internal/v1/signals${path}`,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': isImport ? 'application/x-ndjson' : 'application/json',
        },
        body: isImport ? (content as Readable) : JSON.stringify(content),
      });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
      return (JSON.parse(text) as { data: T }).data;
    },
    measure: async () => {
      const [commandsBefore, redisBefore] = await Promise.all([commands(), redisScripts()]);
      const [startedAt, cpuBefore] = [performance.now(), cpu()];
      return async () => {
        const [endedAt, cpuAfter] = [performance.now(), cpu()];
        const [commandsAfter, redisAfter] = await Promise.all([commands(), redisScripts()]);
        return {
          seconds: (endedAt - startedAt) / 1_000,
          cpuS: difference(cpuBefore, cpuAfter),
          commands: commandsBefore && commandsAfter && difference(commandsBefore, commandsAfter),
          redisScripts: redisAfter - redisBefore,
        };
      };
    },
  };
}

/** The process that runs under a name now. */
export function pidOf({ system }: Pick<BenchSystem, 'system'>, name: ProcessName): number {
  return system.processes[name].pid ?? 0;
}

/** Imports signals of the last days into an empty system, and waits until its statistics have all. */
export async function importSignals(
  { get, produce }: BenchSystem,
  size: number,
  days: number,
): Promise<void> {
  await produce('POST', '/import', Readable.from(signalLines(size, days)));
  await eventually(
    async () => {
      const { body } = await get('/v1/stats');
      const { total_signals: total } = body.data as { total_signals: number };
      if (total !== size) throw new Error(`statistics have ${total} of ${size} signals`);
    },
    { timeoutMs: 3_600_000, everyMs: 500 },
  );
}

/** CPU seconds of some processes, by their names. */
export function cpuSOf({ cpuS }: Pick<Used, 'cpuS'>, counts: (name: string) => boolean): number {
  return sum([...cpuS].filter(([name]) => counts(name)).map(([, seconds]) => seconds));
}

/** Resolves after a second in which no process of the system took more than a fiftieth of a core. */
export async function atRest({ system }: BenchSystem): Promise<void> {
  const used = () => Object.values(system.processes).map(({ pid = 0 }) => cpuMs(pid));
  let before: readonly number[] | undefined;
  await eventually(
    () => {
      const [earlier, now] = [before, used()];
      before = now;
      const isBusy = (ms: number, n: number) => ms - (earlier?.[n] ?? 0) > 20;
      if (now.some(isBusy)) throw new Error('the system is busy');
    },
    { everyMs: 1_000, timeoutMs: 300_000 },
  );
}

function difference(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  return new Map([...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)]));
}

/** Prints CPU seconds by process, and commands of the store, in all and for each of `count` things done. */
export function sayUsed({ seconds, cpuS, commands }: Used, what: string, count: number): void {
  say(`  ${seconds.toFixed(1)} s; CPU seconds: ${largestFirst(cpuS)}`);
  if (commands === undefined) return;
  const all = sum([...commands.values()]);
  say(
    `  store commands: ${(all / count).toFixed(2)} for each of ${count} ${what}: ${largestFirst(commands)}`,
  );
}

/** What rounds to nothing is left out. */
function largestFirst(amounts: ReadonlyMap<string, number>): string {
  return [...amounts]
    .filter(([, amount]) => amount >= 0.05)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, amount]) => `${name} ${Number(amount.toFixed(1))}`)
    .join(', ');
}
