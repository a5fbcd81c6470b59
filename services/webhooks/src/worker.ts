import { accountTopology, eventTopology } from '@sigcast/contracts';
import type { Broker } from '@sigcast/messaging';
import { startMigrations } from '@sigcast/mongo';
import {
  backoffMs,
  type Logger,
  newId,
  pause,
  type Resources,
  serviceVersion,
  timeOfId,
} from '@sigcast/runtime';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import { fanOutLog, followAttempts } from './attempt-trace.ts';
import { fanOutEvents } from './consumers/fan-out-events.ts';
import { followAccounts } from './consumers/follow-accounts.ts';
import { concludeDelivery } from './domain/disabling.ts';
import { Membership } from './domain/membership.ts';
import { Scheduler } from './domain/scheduler.ts';
import { WorkerMetrics } from './metrics.ts';
import { startRecoverer } from './recoverer.ts';
import { repeat } from './repeat.ts';
import type { Sender } from './sending/sender.ts';
import { mongoAccountStates } from './store/account-states.ts';
import { mongoAttemptStore } from './store/attempt-store.ts';
import { ensureWebhookIndexes } from './store/ensure-indexes.ts';
import { placeOldEvents } from './store/event-log.ts';
import { mongoFailureRecord } from './store/failure-record.ts';
import { mongoFanOutStore } from './store/fan-out-store.ts';
import { mongoLaneStore } from './store/lane-store.ts';
import { webhooksMigrations } from './store/migrations.ts';
import { models } from './store/models.ts';
import { deliveryId } from './store/new-deliveries.ts';
import { openNotices } from './store/notices.ts';
import { mongoRecoveryStore } from './store/recovery-store.ts';
import { giveBackUnknown, mongoWorkerRegistry } from './store/worker-registry.ts';
import { workerState } from './worker-state.ts';

/** Events in hand at once. None waits for a receiver. */
const prefetch = 20;
/** How often the worker does what, in milliseconds. A poll bounds how late a retry is. */
const everyMs = { poll: 100, beat: 2_000, keepHidden: 5_000, giveBack: 5_000, notices: 1_000 };

export type WorkerDeps = {
  readonly broker: Broker;
  readonly connection: Connection;
  readonly sender: Sender;
  /** What no other process is called that runs at the same time. */
  readonly name: string;
  readonly namespace: string;
  /** Pauses before each retry; their number is the number of retries. */
  readonly retryDelaysMs: readonly number[];
  /** Attempts under way at once: at one subscription over all workers, and in this worker. */
  readonly maxInFlight: number;
  readonly maxAttempts: number;
  readonly log: Logger;
  /** Where its metrics go. */
  readonly registry: Registry;
};

/** Starts fan-out and delivery; `resources` stops them, attempts under way ending first. */
export async function startWorker(deps: WorkerDeps, resources: Resources): Promise<void> {
  const { broker, connection, namespace, log } = deps;
  await ensureWebhookIndexes(connection, log, resources);
  const collections = models(connection);
  await placeOldEvents(collections);
  const version = serviceVersion(new URL('../package.json', import.meta.url));
  startMigrations(connection, webhooksMigrations, { version, log, resources });

  const membership: Membership = new Membership({
    registry: mongoWorkerRegistry(collections),
    name: deps.name,
    newId: () => newId('wrk'),
    monotonicMs: () => performance.now(),
    onExpired: () => {
      log.warn('this worker was silent for so long that others took over what it had in hand');
      scheduler.forget();
    },
    onReclaimed: (worker) => log.warn({ worker }, 'a worker died; what it had in hand goes on'),
  });
  const now = () => membership.nowMs();
  const stored = { now, worker: () => membership.id };
  const lanes = mongoLaneStore(collections, now);
  const record = mongoFailureRecord(collections);
  const scheduler: Scheduler = new Scheduler({
    attempts: mongoAttemptStore(collections, stored),
    lanes,
    membership,
    send: followAttempts(deps.sender.send, log),
    retryDelaysMs: deps.retryDelaysMs,
    maxInFlight: deps.maxInFlight,
    maxAttempts: deps.maxAttempts,
    now,
    random: Math.random,
    pause: (attempt) => pause(backoffMs(attempt, { firstMs: 50, maxMs: 1_000 })),
    ended: async (claimed, status, httpStatus) => {
      const disabled = await concludeDelivery(claimed, { status, httpStatus }, { record, now });
      if (disabled)
        log.warn({ subscription: claimed.delivery.subscription, httpStatus }, 'subscription disabled');
    },
    onAttempt: (...attempt) => metrics.attempt(...attempt),
    onProblem: (err, what) => log.warn({ err, delivery: what }, 'put off; it will be found again'),
  });
  await membership.join();
  resources.defer(() => membership.leave());
  const state = workerState({ ...deps, collections, scheduler, now });
  const metrics = new WorkerMetrics(deps.registry, state, timeOfId, now);

  const loops = { log, resources };
  repeat('renewing the lease', everyMs.beat, () => membership.beat(), loops);
  resources.defer(async () => {
    await membership
      .retire()
      .catch((err: unknown) => log.warn({ err }, 'others learn of the end by the lease'));
    await scheduler.close();
  });
  repeat('looking for what is due', everyMs.poll, () => scheduler.poll(), loops);
  repeat('keeping lanes in hand', everyMs.keepHidden, () => scheduler.keepHidden(), loops);
  const giveBack = async () => {
    const hasInHand = (id: string) => scheduler.hasInHand(id);
    const found = await giveBackUnknown(collections, { worker: membership.id, nowMs: now(), hasInHand });
    if (found > 0) log.warn({ deliveries: found }, 'gave back deliveries whose claims were not answered');
  };
  repeat('giving back what is not in hand', everyMs.giveBack, giveBack, loops);

  repeat('telling accounts', everyMs.notices, () => openNotices(collections, now), loops);

  const { fanout, bulkFanout } = eventTopology(namespace);
  const handle = fanOutEvents(
    { ...mongoFanOutStore(collections, stored), deliveryId, scheduler },
    undefined,
    fanOutLog(log),
  );
  await broker.consume({ ...fanout, prefetch, handle: handle.live });
  await broker.consume({ ...bulkFanout, prefetch, handle: handle.bulk });
  const { webhooks: accounts } = accountTopology(namespace);
  await broker.consume({
    ...{ queue: accounts.queue, parked: accounts.parked, prefetch },
    handle: followAccounts(mongoAccountStates(collections)),
  });
  startRecoverer(mongoRecoveryStore(collections, Date.now), log, resources);
}
