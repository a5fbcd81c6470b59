import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startBackingServices } from '@sigcast/local';
import { seededRandom } from '@sigcast/runtime';
import { eventually, startTcpProxy, testStack } from '@sigcast/testing';
import { connect } from 'amqplib';
import { type TestSystem, testSystem } from '../system.ts';
import { type DisasterName, type DisasterSite, disaster, killsOf, queuesOf } from './disasters.ts';
import { entryKey, startLedger } from './ledger.ts';
import { startLoad, type Written } from './load.ts';
import { pick } from './pick.ts';
import { watchLog } from './watch-log.ts';

export type CrashPlan = {
  readonly seed: number;
  /** The disasters in order, or how many to draw at random, by weight. */
  readonly disasters: readonly DisasterName[] | { readonly count: number; readonly weights: Weights };
  /** How many signals are written at least, however long the disasters take. */
  readonly minSignals: number;
  readonly signalsPerSecond: number;
  /** How many subscriptions get everything. One more gets some types. Default: 9. */
  readonly subscribers?: number;
  /** The longest pause between two disasters, in milliseconds. */
  readonly maxPauseMs: number;
  readonly report: (line: string) => void;
};

type Weights = readonly (readonly [weight: number, name: DisasterName])[];

export type CrashReport = {
  readonly kills: number;
  readonly disasters: Readonly<Partial<Record<DisasterName, number>>>;
  readonly signals: number;
  readonly events: number;
  /** The deliveries of all events to all subscriptions that match. */
  readonly deliveries: number;
  readonly requests: number;
  readonly duplicates: number;
  readonly differing: readonly string[];
  /** The checkpoints of the public log that were seen, all of one history. */
  readonly checkpoints: number;
  /** From the confirmation of a signal to the first checkpoint that has it, in milliseconds. */
  readonly mergeDelayMs: { readonly p50: number; readonly p99: number; readonly max: number };
};

type Subscription = { readonly path: string; readonly types: readonly string[] | undefined };
const events = ['signal.new', 'signal.winner'];
const retryDelaysMs = [300, 600, 1_000];
/** The longest time without a delivery after the last disaster: leases expire, and lanes come due, within this time. */
const settleTimeoutMs = 90_000;
/** The load pauses while this many deliveries are missing. */
const maxOutstanding = 2_000;

/**
 * Runs the whole system on stores of its own under load, lets disasters happen, and checks the guarantees.
 * @throws when an event did not reach a subscriber, or anything is left over. The last log lines of the processes are reported.
 */
export async function runCrashes(plan: CrashPlan): Promise<CrashReport> {
  await using scope = new AsyncDisposableStack();
  const random = seededRandom(plan.seed);
  const subscriptions: readonly Subscription[] = [
    ...Array.from({ length: plan.subscribers ?? 9 }, (_, n) => ({ path: `/all-${n}`, types: undefined })),
    { path: '/some', types: ['new', 'wallet'] },
  ];
  const backingDir = mkdtempSync(join(tmpdir(), 'sigcast-crash-'));
  const backing = await startBackingServices({
    dataDir: backingDir,
    env: {},
    ephemeral: true,
    report: plan.report,
  });
  scope.defer(() => backing.stop());
  const { hostname: host, port } = new URL(backing.amqpUrl);
  const brokerLink = scope.use(await startTcpProxy({ host, port: Number(port) }));
  const system = await testSystem(
    { WEBHOOK_RETRY_DELAYS_MS: retryDelaysMs.join(','), LOG_LEVEL: 'warn' },
    testStack({ ...backing, amqpUrl: brokerLink.through(backing.amqpUrl) }),
  );
  scope.defer(() => system.stop());
  const ledger = scope.use(await startLedger(seededRandom(plan.seed + 1)));
  const log = scope.use(watchLog(system));
  let passed = false;
  let expected: readonly string[] = [];
  scope.defer(async () => {
    if (passed) return;
    for (const line of lastLogLines(system)) plan.report(line);
    await reportDeliveries(system, ledger.missing(expected), plan.report);
  });
  for (const { path, types } of subscriptions) {
    const body = JSON.stringify({ url: `${ledger.url}${path}`, events, types });
    const { response } = await system.api('/v1/webhooks', { method: 'POST', body });
    if (response.status !== 201) throw new Error(`not subscribed: ${response.status}`);
  }

  const site: DisasterSite = { system, backing, brokerLink, ledger, random };
  const load = startLoad(system, {
    perSecond: plan.signalsPerSecond,
    random: seededRandom(plan.seed + 2),
    wanted: (written) => expectedOf(subscriptions, written).length - ledger.entries < maxOutstanding,
  });
  const happened: Partial<Record<DisasterName, number>> = {};
  let kills = 0;
  for (const name of drawn(plan, random)) {
    await delay(random() * plan.maxPauseMs);
    await disaster(name, site);
    happened[name] = (happened[name] ?? 0) + 1;
    kills += killsOf[name];
    plan.report(
      `${String(kills).padStart(4)} kills  ${String(load.written.length).padStart(6)} signals  ` +
        `${String(ledger.received).padStart(6)} requests  after: ${name}`,
    );
  }
  await eventually(() => atLeast(load.written.length, plan.minSignals), { timeoutMs: 600_000, everyMs: 200 });
  await load.stop();

  expected = expectedOf(subscriptions, load.written);
  for (let left = ledger.missing(expected).length; left > 0; ) {
    const before = left;
    // Fails when no further delivery comes, however many are missing.
    await eventually(
      () => {
        left = ledger.missing(expected).length;
        if (left === before) none('never delivered', ledger.missing(expected));
      },
      { timeoutMs: settleTimeoutMs, everyMs: 500 },
    );
  }
  const settling = { timeoutMs: settleTimeoutMs, everyMs: 1_000 };
  await eventually(() => nothingLeft(site, expected.length), settling);
  none('repeated with another id or other bytes', ledger.differing);
  const confirmedAtMs = new Map(load.written.map(({ id, atMs }) => [id, atMs]));
  const delaysMs = await eventually(() => log.verify(confirmedAtMs), settling);
  delaysMs.sort((a, b) => a - b);
  const delayOf = (share: number) => delaysMs[Math.floor((delaysMs.length - 1) * share)] ?? Number.NaN;
  passed = true;
  return {
    kills,
    disasters: happened,
    signals: load.written.length,
    events: load.written.reduce((sum, { won }) => sum + (won ? 2 : 1), 0),
    deliveries: expected.length,
    requests: ledger.received,
    duplicates: ledger.duplicates,
    differing: ledger.differing,
    checkpoints: log.seen,
    mergeDelayMs: { p50: delayOf(0.5), p99: delayOf(0.99), max: delayOf(1) },
  };
}

function* drawn({ disasters }: CrashPlan, random: () => number): Generator<DisasterName> {
  if (!('count' in disasters)) yield* disasters;
  else for (let n = 0; n < disasters.count; n++) yield pick(disasters.weights, random);
}

function expectedOf(subscriptions: readonly Subscription[], written: readonly Written[]): string[] {
  return written.flatMap(({ id, type, won }) =>
    subscriptions
      .filter(({ types }) => types === undefined || types.includes(type))
      .flatMap(({ path }) => (won ? events : ['signal.new']).map((event) => entryKey(path, event, id))),
  );
}

/** @throws unless every delivery in the log succeeded, each queue works and is empty, and statistics count every signal. */
async function nothingLeft(site: DisasterSite, deliveries: number): Promise<void> {
  const { system } = site;
  const hooks = await dataOf<{ id: string }[]>(system, '/v1/webhooks');
  let count = 0;
  for (const { id } of hooks) {
    for await (const delivery of logged(system, id)) {
      // Polled every second: the log is read to its end only once no delivery is left.
      if (delivery.status !== 'delivered') throw new Error(`not delivered: ${JSON.stringify(delivery)}`);
      count += 1;
    }
  }
  if (count !== deliveries) throw new Error(`${count} deliveries in the log instead of ${deliveries}`);
  const model = await connect(site.backing.amqpUrl);
  model.on('error', () => undefined); // requests on the connection are rejected as well
  try {
    const channel = await model.createChannel();
    for (const queue of queuesOf(site)) {
      const { messageCount } = await channel.checkQueue(queue);
      // A broken queue reports no messages, but fails when a message is asked for.
      if (messageCount > 0 || (await channel.get(queue))) throw new Error(`messages in ${queue}`);
    }
  } finally {
    await model.close();
  }
  const { body } = await system.api('/v1/signals?limit=1');
  const { total_signals: counted } = await dataOf<{ total_signals: number }>(system, '/v1/stats');
  if (counted !== body.meta?.total) throw new Error(`${counted} signals counted, ${body.meta?.total} listed`);
}

/** The last lines of each process's log, which is deleted after the run. */
function lastLogLines({ processes }: TestSystem): string[] {
  return Object.values(processes).flatMap(({ name, logFile }) =>
    readFileSync(logFile, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(-5)
      .map((line) => `${name}: ${line.slice(0, 400)}`),
  );
}

/** How many deliveries of one subscriber are reported. */
const maxReported = 20;

/** Reports the log entries of deliveries that were not delivered, and of missing ones. */
async function reportDeliveries(
  system: TestSystem,
  missing: readonly string[],
  report: (line: string) => void,
): Promise<void> {
  for (const { id: hook, url } of await dataOf<{ id: string; url: string }[]>(system, '/v1/webhooks')) {
    const { pathname } = new URL(url);
    const wanted = new Set(missing.filter((key) => key.startsWith(`${pathname} `)));
    let reported = 0;
    try {
      for await (const { id, status, event, signal_id: signal } of logged(system, hook)) {
        const key = entryKey(pathname, event, signal);
        if (!wanted.delete(key) && status === 'delivered') continue;
        if (++reported > maxReported) continue;
        const detail = await dataOf(system, `/v1/webhooks/${hook}/deliveries/${id}`);
        report(`${status}: ${key}: ${JSON.stringify(detail)}`);
      }
      for (const key of [...wanted].slice(0, maxReported)) report(`not in the log: ${key}`);
    } catch (error) {
      report(`the log of ${pathname} can't be read: ${String(error)}`);
    }
  }
}

type Logged = {
  readonly id: string;
  readonly status: string;
  readonly event: string;
  readonly signal_id: string;
};

/** The whole log of a subscription. */
async function* logged(system: TestSystem, hook: string): AsyncGenerator<Logged> {
  for (let page = 1; ; page++) {
    const some = await dataOf<Logged[]>(system, `/v1/webhooks/${hook}/deliveries?limit=100&page=${page}`);
    yield* some;
    if (some.length < 100) return;
  }
}

async function dataOf<T>(system: TestSystem, path: string): Promise<T> {
  const { response, body } = await system.api(path);
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
  return body.data as T;
}

function none(what: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error(`${what}: ${found.length}, such as ${found.slice(0, 3).join(', ')}`);
}

function atLeast(count: number, wanted: number): void {
  if (count < wanted) throw new Error(`${count} of ${wanted}`);
}
