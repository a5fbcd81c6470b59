import { fileURLToPath } from 'node:url';
import { eventTopology, type SignalEvent } from '@sigcast/contracts';
import { messagesReady } from '@sigcast/messaging';
import { connectMongo } from '@sigcast/mongo';
import { createLogger, silentLogger } from '@sigcast/runtime';
import {
  eventually,
  type ReceiverStep,
  type ServiceProcess,
  spawnService,
  startFullMongo,
} from '@sigcast/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { memberLeaseMs } from '../src/domain/membership.ts';
import { nameLookup } from '../src/sending/name-lookup.ts';
import { leaseExpired } from '../src/worker.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';
import { startNameServer } from './name-server.ts';
import { testKey } from './test-sealer.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let f: Fixture;
let scope: AsyncDisposableStack;
/** Lines that the workers of a test have logged. */
let logged: string[];
beforeEach(async () => {
  f = await fixture();
  scope = new AsyncDisposableStack();
  logged = [];
});
afterEach(async () => {
  await scope.disposeAsync();
  await f[Symbol.asyncDispose]();
});

/** So many accounts that two workers both own some: one worker owns all of them once in eight million runs. */
const forBoth = 24;

/** Subscriptions of as many accounts, each at a path of its own. */
async function subscribe(count: number): Promise<readonly string[]> {
  const paths = Array.from({ length: count }, (_, n) => `/hook-${n}`);
  for (const path of paths) await f.subscribe(path);
  return paths;
}

async function publish(count: number): Promise<readonly SignalEvent[]> {
  const events = Array.from({ length: count }, () => signalEvent());
  await Promise.all(events.map((event) => f.publish(event)));
  return events;
}

/** How often each attempt of each delivery was sent: by path, event and number of the attempt. */
function sent(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path, headers } of f.receiver.requests) {
    const key = `${path} ${headers['webhook-id']} ${headers['webhook-attempt']}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Waits until this many deliveries have arrived, and requires that none was sent twice and that no worker was taken for dead. */
async function requireAllDelivered(count: number): Promise<void> {
  await eventually(
    async () => expect(await f.collections.deliveries.countDocuments({ status: 'delivered' })).toBe(count),
    { timeoutMs: 60_000, everyMs: 100 },
  );
  expect(await f.collections.deliveries.countDocuments({})).toBe(count);
  expect([...sent()].filter(([, times]) => times > 1)).toEqual([]);
  for (const death of [{ crashes: { $gt: 0 } }, { 'attempts.outcome': 'interrupted' as const }]) {
    expect(await f.collections.deliveries.countDocuments(death)).toBe(0);
  }
  const { fanout, bulkFanout } = eventTopology(f.stack.namespace);
  for (const queue of [fanout.parked, bulkFanout.parked, fanout.queue]) {
    await eventually(async () => expect((await messagesReady(f.broker, [queue])).get(queue)).toBe(0));
  }
}

/** A worker with a connection to the store of its own. */
async function startWorker(mongodbUri: string, timeoutMs = 60_000): Promise<void> {
  const write = (line: string) => void logged.push(line);
  const log = createLogger({ service: 'test', level: 'warn', destination: { write } });
  const connection = await connectMongo({ uri: mongodbUri, database: f.database }, silentLogger(), scope);
  scope.use(await f.startWorker({ connection, log, timeoutMs }));
}

/** Holds up the answers to the next `each` requests at each path. @returns a function that lets all of them go. */
function holdAnswers(paths: readonly string[], each: number): () => void {
  const held: (() => void)[] = [];
  let released = false;
  const hold: ReceiverStep = (response) => {
    const answer = () => response.writeHead(200).end();
    if (released) answer();
    else held.push(answer);
  };
  for (const path of paths) f.receiver.script(path, ...Array.from({ length: each }, () => hold));
  const release = () => {
    released = true;
    for (const answer of held.splice(0)) answer();
  };
  scope.defer(release);
  return release;
}

/** The names of workers that have attempts under way. */
async function attempting(): Promise<readonly string[]> {
  const found = await f.collections.deliveries.find({ lease: { $ne: null } }, { lease: 1 }).lean();
  return [...new Set(found.flatMap(({ lease }) => lease?.worker ?? []))].sort();
}

/** The messages about expired leases in what workers have logged. */
const expiredLeases = (log: string) => Object.values(leaseExpired).filter((message) => log.includes(message));

const workers = () => f.collections.workers.find().sort({ _id: 1 }).lean();

/** Waits until each worker's lease lasts beyond this instant of the store's clock. */
async function renewedBeyond(untilMs: number, names: readonly string[]): Promise<void> {
  await eventually(
    async () => {
      const found = await workers();
      expect(found.map(({ _id }) => _id)).toEqual(names);
      for (const { until } of found) expect(until.getTime()).toBeGreaterThan(untilMs);
    },
    { timeoutMs: 60_000, everyMs: 100 },
  );
}

it('a store without room on its disk for 5 s costs no event: none is parked, and each is delivered once', async () => {
  const store = scope.use(await startFullMongo(f.stack.mongodbUri));
  const paths = await subscribe(4);
  await startWorker(store.mongodbUri);
  await publish(10);
  await requireAllDelivered(10 * paths.length);
  const release = holdAnswers(paths, 5);
  await publish(20);
  await eventually(() => expect(f.receiver.requests.length).toBeGreaterThan(10 * paths.length));
  store.fill();
  const fullAt = performance.now();
  release();
  await publish(500);
  await eventually(() => expect(performance.now() - fullAt).toBeGreaterThan(5_000));
  expect(store.refused).toBeGreaterThan(20);
  store.free();
  await requireAllDelivered(530 * paths.length);
});

it('workers whose clocks are 20 s apart send nothing twice, and the delivery log has the store’s time', async () => {
  const entry = fileURLToPath(new URL('fixtures/worker-ahead.ts', import.meta.url));
  const env = {
    MONGODB_URI: f.stack.mongodbUri,
    MONGODB_DATABASE: f.database,
    PORT: '0',
    AMQP_URL: f.stack.amqpUrl,
    BROKER_NAMESPACE: f.stack.namespace,
    WEBHOOK_SEAL_KEYS: testKey,
    LOG_LEVEL: 'warn',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_PORTS: '1-65535',
    WEBHOOK_RETRY_DELAYS_MS: '1000,1000,1000',
  };
  const processes: ServiceProcess[] = [];
  for (const aheadMs of [0, 20_000]) processes.push(scope.use(spawnService(entry, env, [String(aheadMs)])));
  const paths = await subscribe(forBoth);
  // Every fourth first attempt fails, so that some wait for a retry and others are under way, all the time. No retry fails:
  // a delivery that met the failing answer each time would have failed for good.
  for (const path of paths) {
    const answers = Array.from(
      { length: 1_000 },
      (_, n): ReceiverStep =>
        (response, { headers }) => {
          const status = n % 4 === 0 && headers['webhook-attempt'] === '1' ? 500 : 200;
          const answer = () => response.writeHead(status).end();
          if (n % 4 === 1) setTimeout(answer, 2_000);
          else answer();
        },
    );
    f.receiver.script(path, ...answers);
  }
  // As long as a process may take to start.
  const joined = await eventually(
    async () => {
      const found = await workers();
      expect(found).toHaveLength(2);
      return found;
    },
    { timeoutMs: 60_000 },
  );
  const names = joined.map(({ _id }) => _id);
  const seen = new Set<string>();
  let published = 0;
  // Each lease has been renewed: whoever judged one by a clock of its own has taken the other worker for dead.
  const enoughMs = Math.max(...joined.map(({ until }) => until.getTime())) + memberLeaseMs / 2;
  await eventually(
    async () => {
      published += (await publish(2)).length;
      for (const name of await attempting()) seen.add(name);
      const renewed = (await workers()).filter(({ until }) => until.getTime() > enoughMs);
      expect(renewed).toHaveLength(2);
    },
    { timeoutMs: 60_000, everyMs: 500 },
  );
  expect([...seen].sort()).toEqual(names);
  await requireAllDelivered(published * paths.length);
  await renewedBeyond(enoughMs, names);

  const arrivedAt = new Map(
    f.receiver.requests.map(({ path, headers, receivedAt }) => [
      `${path} ${headers['webhook-id']} ${headers['webhook-attempt']}`,
      receivedAt,
    ]),
  );
  const hooks = await f.collections.subscriptions.find({}, { url: 1 }).lean();
  const pathOf = new Map(hooks.map(({ _id, url }) => [_id, new URL(url).pathname]));
  const differencesMs: number[] = [];
  for (const { subscription, event_id, attempts } of await f.collections.deliveries.find().lean()) {
    for (const { number, started_at } of attempts) {
      const at = arrivedAt.get(`${pathOf.get(subscription)} ${event_id} ${number}`) ?? Number.NaN;
      differencesMs.push(Math.abs(at - Date.parse(started_at)));
    }
  }
  expect(differencesMs.length).toBe(f.receiver.requests.length);
  expect(Math.max(...differencesMs)).toBeLessThan(10_000);
  expect(processes.flatMap(({ output }) => expiredLeases(output()))).toEqual([]);
});

it('a name server that never answers for IPv6 addresses costs a moment: every event arrives at the first attempt', async () => {
  const names = scope.use(await startNameServer());
  names.names.set('half.test', { A: ['127.0.0.1'] });
  const { lookup, close } = nameLookup({ servers: [names.server], ipv6: () => true });
  scope.defer(close);
  const { port } = new URL(f.receiver.url);
  for (const path of ['/half-0', '/half-1']) {
    await f.subscribe(path, { url: `http://half.test:${port}${path}` });
  }
  scope.use(await f.startWorker({ lookup }));
  await publish(50);
  await requireAllDelivered(100);
  expect(await f.collections.deliveries.countDocuments({ attempt_count: 1 })).toBe(100);
  // Both families were queried, IPv6 perhaps more than once.
  expect(names.types).toEqual(new Set(['A', 'AAAA']));
});
