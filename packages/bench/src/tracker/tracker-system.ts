import { fileURLToPath } from 'node:url';
import { eventTopology, signalsDecideScope, signalsWriteScope } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import {
  addressOf,
  eventually,
  type ServiceProcess,
  spawnService,
  testKeyPair,
  testStack,
} from '@sigcast/testing';
import { connect } from 'amqplib';
import { benchStores } from '../bench-stores.ts';
import { signalLines } from '../signal-lines.ts';
import { type StoreView, storeView } from '../store-view.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
/** How often the queues that nobody consumes here are emptied, in milliseconds: a full queue would refuse events. */
const clearEveryMs = 1_000;
/** Over how many days the signals lie: a day less than the schedule follows them. */
const days = 29;
/** Lines of one import. */
const linesPerImport = 20_000;

/** A followed signal, as far as the bench needs it. */
export type FollowedSignal = { readonly id: string; readonly contract: string; readonly createdAtMs: number };

/** Signals, the tracker and its pollers as processes on stores of their own. */
export type TrackerSystem = {
  readonly store: StoreView;
  /** Names of the processes. */
  readonly names: ReadonlyMap<number, string>;
  /** Imports so many signals, evenly over 29 days. */
  import(size: number): Promise<void>;
  /** All signals, oldest first. */
  signals(): Promise<readonly FollowedSignal[]>;
  /** Makes the signals followed, each due at its time. Call it before `startTracker`: the tracker would do so by their events. */
  follow(signals: readonly (FollowedSignal & { readonly dueAt: Date })[]): Promise<void>;
  /** Makes all signals due now. */
  makeDue(): Promise<void>;
  /** Starts the tracker, which consumes the events of what pollers observe. */
  startTracker(): Promise<void>;
  startPoller(settings: Readonly<Record<string, string>>): Promise<ServiceProcess>;
};

/** Starts stores and signals, until `scope` ends. */
export async function trackerSystem(scope: AsyncDisposableStack): Promise<TrackerSystem> {
  const { backing } = await benchStores(scope, { env: {} });
  const stack = scope.use(testStack(backing));
  const store = await storeView(scope, stack.mongodbUri, stack.namespace);
  const names = new Map([[store.pid, 'store']]);
  const gateway = testKeyPair();
  const operator = testKeyPair();
  const sign = identitySigner('operator', operator.privateKey, 'signals');
  const token = (subject: string) =>
    sign({ subject, scopes: [signalsWriteScope, signalsDecideScope], ttlS: 7_200 });
  const start = async (name: string, entry: string, env: Readonly<Record<string, string>>) => {
    const process = scope.use(
      spawnService(`${root}services/${entry}`, {
        MONGODB_URI: stack.mongodbUri,
        PORT: '0',
        LOG_LEVEL: 'info',
        ACCESS_LOG_SHARE: '0',
        ...env,
      }),
    );
    names.set(process.pid, name);
    return { process, url: await addressOf(process) };
  };
  const broker = {
    AMQP_URL: stack.amqpUrl,
    BROKER_NAMESPACE: stack.namespace,
    GATEWAY_PUBLIC_KEYS: gateway.publicKey,
  };
  const signals = await start('signals', 'signals/src/main.ts', {
    ...broker,
    MONGODB_DATABASE: stack.database('signals'),
    OPERATOR_PUBLIC_KEYS: operator.publicKey,
  });
  const trackerDatabase = stack.database('tracker');
  let isTracking = false;
  const clear = await clearQueues(scope, stack, () => !isTracking);
  const tracked = store.database('tracker').collection<{ _id: string; due_at?: Date }>('tracked');
  const stored = store.database('signals').collection<{
    _id: string;
    rev: number;
    token: { contract: string };
    created_at: Date;
  }>('signals');

  return {
    store,
    names,
    import: async (size) => {
      for (let from = 0; from < size; from += linesPerImport) {
        const to = Math.min(size, from + linesPerImport);
        const answer = await fetch(`${signals.url}/internal/v1/signals/import`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token('bench')}`, 'content-type': 'application/x-ndjson' },
          body: [...signalLines(from, to, { size, days })].join(''),
        });
        const { data } = (await answer.json()) as { data: { created: number } };
        if (data.created !== to - from) throw new Error(`not all was imported: ${JSON.stringify(data)}`);
      }
      // Events of the import must not use the machine during the measurement.
      await eventually(
        async () => {
          const waiting = await stored.countDocuments({ relay_due_at: { $exists: true } }, { limit: 1 });
          if (waiting > 0) throw new Error('events of the import still leave');
        },
        { timeoutMs: 600_000, everyMs: 500 },
      );
    },
    signals: async () => {
      const found = await stored
        .find({}, { projection: { 'token.contract': 1, created_at: 1 } })
        .sort({ created_at: 1 })
        .toArray();
      return found.map(({ _id, token: { contract }, created_at }) => ({
        id: _id,
        contract,
        createdAtMs: created_at.getTime(),
      }));
    },
    follow: async (followed) => {
      for (let from = 0; from < followed.length; from += 5_000) {
        const some = followed.slice(from, from + 5_000).map(({ id, contract, createdAtMs, dueAt }) => ({
          _id: id,
          rev: 1,
          oldest_rev: 1,
          contract,
          status: 'active',
          ath_hours: 0,
          due_at: dueAt,
          mcap_entry: 100_000,
          mcap_ath: 100_000,
          liquidity_entry: 20_000,
          created_at: new Date(createdAtMs),
        }));
        await tracked.insertMany(some, { ordered: false });
      }
    },
    makeDue: async () => {
      await tracked.updateMany({}, { $set: { due_at: new Date() } });
    },
    startTracker: async () => {
      // Events of the import would tell it what `follow` has written.
      await clear();
      isTracking = true;
      await start('tracker', 'tracker/src/main.ts', { ...broker, MONGODB_DATABASE: trackerDatabase });
    },
    startPoller: async (settings) => {
      const { process } = await start('pollers', 'tracker/src/main-poller.ts', {
        MONGODB_DATABASE: trackerDatabase,
        REDIS_URL: stack.redisUrl,
        REDIS_KEY_PREFIX: stack.redisKeyPrefix,
        SIGNALS_URL: signals.url,
        SIGNALS_TOKEN: token('tracker'),
        ...settings,
      });
      return process;
    },
  };
}

/** Empties the queues that nobody consumes, every second. @returns a function that does so at once. */
async function clearQueues(
  scope: AsyncDisposableStack,
  stack: { readonly amqpUrl: string; readonly namespace: string },
  andTracker: () => boolean,
): Promise<() => Promise<void>> {
  const model = await connect(stack.amqpUrl);
  scope.defer(() => model.close());
  const channel = await model.createChannel();
  const { fanout, bulkFanout, stats, tracker } = eventTopology(stack.namespace);
  let clearing = Promise.resolve();
  const clear = async () => {
    for (const { queue } of [fanout, bulkFanout, stats, ...(andTracker() ? [tracker] : [])])
      await channel.purgeQueue(queue);
  };
  const inTurn = () => {
    clearing = clearing.then(clear);
    return clearing;
  };
  const timer = setInterval(() => void inTurn(), clearEveryMs);
  scope.defer(async () => {
    clearInterval(timer);
    await clearing;
  });
  return inTurn;
}
