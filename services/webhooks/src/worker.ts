import {
  accountTopology,
  type EventPriority,
  type EventQueue,
  eventTopology,
  webhookTopology,
} from '@sigcast/contracts';
import { type Broker, webhookNoticeMessage } from '@sigcast/messaging';
import {
  backoffMs,
  keepLooking,
  keepPassingOn,
  type Logger,
  newId,
  pause,
  type Resources,
  repeat,
} from '@sigcast/runtime';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import { fanOutLogger, loggedSend } from './attempt-trace.ts';
import { fanOutEvents } from './consumers/fan-out-events.ts';
import { followAccounts } from './consumers/follow-accounts.ts';
import type { OpenedDelivery } from './domain/attempt-ports.ts';
import { checkAutoDisable } from './domain/auto-disable.ts';
import { eventFilter } from './domain/event-filter.ts';
import { Membership } from './domain/membership.ts';
import { Scheduler } from './domain/scheduler.ts';
import { WorkerMetrics } from './metrics.ts';
import { startRecoverer } from './recoverer.ts';
import type { Sender } from './sending/sender.ts';
import { mongoAccountStates } from './store/account-states.ts';
import { mongoAttemptStore } from './store/attempt-store.ts';
import { ensureWebhookIndexes } from './store/ensure-indexes.ts';
import { mongoFailureStreaks } from './store/failure-streaks.ts';
import { mongoFanOutStore } from './store/fan-out-store.ts';
import { mongoLaneStore } from './store/lane-store.ts';
import { models } from './store/models.ts';
import { mongoNotices } from './store/notices.ts';
import { mongoRecoveryStore } from './store/recovery-store.ts';
import { mongoWorkerRegistry, releaseOrphanedLeases } from './store/worker-registry.ts';
import { workerState } from './worker-state.ts';

/**
 * The most events that are fanned out at once. None of them waits for a receiver. Few bulk events, so that live ones that come
 * behind thousands of them are not slowed down; not one, because those of a moment share commands of the store.
 */
const prefetch = { live: 100, bulk: 10 };
/** The most changes of accounts that are followed at once. */
const accountsAtOnce = 20;
/** The pauses of the worker's loops, in milliseconds. */
const intervalMs = { heartbeat: 2_000, releaseOrphans: 10_000 };
const noticePauses = { firstMs: 3_000, maxMs: 3_000 };
/**
 * The pauses between polls for due lanes, in milliseconds. A poll knows what is due until the next one, so a retry is at most
 * `firstMs` late. What the api marks meanwhile, such as a retry by hand, waits for the next poll; what other workers mark, too,
 * so a worker that is not alone always polls after `firstMs`.
 */
const pollPauses = { firstMs: 100, maxMs: 500 };

/** Log messages of a worker that finds a lease expired, its own or another worker's. */
export const leaseExpired = {
  own: 'the lease of this worker expired; other workers have taken over its lanes and deliveries',
  others: 'the lease of a worker expired; its deliveries are due again',
};

type WorkerDeps = {
  readonly broker: Broker;
  readonly connection: Connection;
  readonly sender: Sender;
  /** A name that no other process has at the same time. */
  readonly name: string;
  readonly namespace: string;
  /** Pauses before each retry; their number is the number of retries. */
  readonly retryDelaysMs: readonly number[];
  /** The most attempts of one subscription at once, over all workers. */
  readonly maxInFlight: number;
  /** The most attempts of this worker at once at one host, over all accounts. */
  readonly maxPerHost: number;
  /** The most attempts of this worker at once. */
  readonly maxAttempts: number;
  readonly log: Logger;
  /** The registry of its metrics. */
  readonly registry: Registry;
};

/** Starts fan-out and delivery; `resources` stops them, attempts under way ending first. */
export async function startWorker(deps: WorkerDeps, resources: Resources): Promise<void> {
  const { broker, connection, namespace, log } = deps;
  await ensureWebhookIndexes(connection, log, resources);
  const collections = models(connection);

  const membership: Membership = new Membership({
    registry: mongoWorkerRegistry(collections),
    name: deps.name,
    newId: () => newId('wrk'),
    monotonicMs: () => performance.now(),
    onExpired: () => {
      log.warn(leaseExpired.own);
      scheduler.dropLanes();
    },
    onReclaimed: (worker) => log.warn({ worker }, leaseExpired.others),
  });
  const now = () => membership.nowMs();
  const holder = { now, worker: () => membership.id };
  const lanes = mongoLaneStore(collections, now);
  const streaks = mongoFailureStreaks(collections);
  const scheduler: Scheduler = new Scheduler({
    attempts: mongoAttemptStore(collections, holder),
    lanes,
    membership,
    send: loggedSend(deps.sender.send, log),
    retryDelaysMs: deps.retryDelaysMs,
    maxInFlight: deps.maxInFlight,
    maxPerHost: deps.maxPerHost,
    maxAttempts: deps.maxAttempts,
    now,
    random: Math.random,
    pause: (attempt) => pause(backoffMs(attempt, { firstMs: 50, maxMs: 1_000 })),
    checkAutoDisable: async (claimed, outcome) => {
      const disabled = await checkAutoDisable(claimed, outcome, { streaks, now });
      if (disabled)
        log.warn(
          { subscription: claimed.delivery.subscription, gone: outcome.gone },
          'subscription disabled',
        );
    },
    onAttempt: (...attempt) => {
      metrics.attempt(...attempt);
      notifyDue();
    },
    onProblem: (err, what) =>
      log.warn(
        { err, delivery: what },
        'a delivery or a lane had to be left, because of the store or a missing key; the worker will find it again',
      ),
  });
  let notifyDue = () => {};
  await membership.join();
  resources.defer(() => membership.leave());
  const state = workerState({ ...deps, collections, scheduler, now });
  const metrics = new WorkerMetrics(deps.registry, state, now);

  const loop = (what: string, everyMs: number, work: () => Promise<unknown>) =>
    repeat(work, { problem: `${what} failed`, everyMs, log }, resources);
  loop('renewing the lease of the worker', intervalMs.heartbeat, () => membership.heartbeat());
  loop('reviewing which lanes are this worker’s', intervalMs.heartbeat, () => scheduler.review());
  resources.defer(async () => {
    await membership
      .retire()
      .catch((err: unknown) =>
        log.warn(
          { err },
          'announcing the stop of this worker failed; other workers wait for its lease to expire',
        ),
      );
    await scheduler.close();
  });
  const poll = async () => {
    try {
      const dueInMs = await scheduler.poll(pollPauses.maxMs);
      return dueInMs === 0 || !membership.alone ? pollPauses.firstMs : dueInMs;
    } catch (err) {
      log.warn({ err }, 'polling for due lanes failed');
      return { retryMs: pollPauses.maxMs };
    }
  };
  notifyDue = keepLooking(poll, pollPauses, resources);
  const releaseOrphans = async () => {
    const hasSlot = (id: string) => scheduler.hasSlot(id);
    const orphans = { worker: membership.id, nowMs: now(), hasSlot };
    const released = await releaseOrphanedLeases(collections, orphans);
    if (released > 0)
      log.warn({ deliveries: released }, 'released leases of deliveries that no worker attempts');
  };
  loop('releasing orphaned leases', intervalMs.releaseOrphans, releaseOrphans);
  const { exchange } = webhookTopology(namespace);
  const notices = mongoNotices(collections, {
    now,
    publish: (notice) => broker.publish(webhookNoticeMessage(exchange, notice)),
  });
  keepPassingOn({ ...notices, problem: 'notices of webhooks wait', pauses: noticePauses, log }, resources);

  const { fanout, bulkFanout } = eventTopology(namespace);
  const store = mongoFanOutStore(collections, now);
  const ports = {
    ...store,
    meets: eventFilter(),
    notify: (opened: readonly OpenedDelivery[]) => scheduler.notify(opened),
  };
  const consume = (queue: EventQueue, priority: EventPriority) =>
    broker.consume({
      ...queue,
      prefetch: prefetch[priority],
      handle: fanOutEvents(ports, priority, fanOutLogger(log)),
    });
  await consume(fanout, 'live');
  await consume(bulkFanout, 'bulk');
  const { webhooks: accounts } = accountTopology(namespace);
  const followAccount = followAccounts(mongoAccountStates(collections));
  await broker.consume({
    queue: accounts.queue,
    parked: accounts.parked,
    prefetch: accountsAtOnce,
    handle: (message) => followAccount(message).then(notifyDue),
  });
  startRecoverer(mongoRecoveryStore(collections, Date.now), log, resources);
}
