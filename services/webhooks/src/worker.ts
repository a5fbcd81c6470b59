import { brokerName, eventTopology } from '@sigcast/contracts';
import type { Broker } from '@sigcast/messaging';
import { backoffMs, type Logger, pause, type Resources, timeOfId } from '@sigcast/runtime';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import { fanOutEvents } from './consumers/fan-out-events.ts';
import { takePointers } from './consumers/take-pointers.ts';
import type { AttemptResult, Claimed } from './domain/attempting.ts';
import { type Sent, suspectCrashes } from './domain/delivery.ts';
import { judgeSubscription } from './domain/disabling.ts';
import { Dispatcher } from './domain/dispatcher.ts';
import type { WaitingQueue } from './domain/retry-schedule.ts';
import { WorkerMetrics } from './metrics.ts';
import { startRecoverer } from './recoverer.ts';
import type { Sender } from './sending/sender.ts';
import { mongoAttemptStore } from './store/attempt-store.ts';
import { models } from './store/documents.ts';
import { ensureWebhookIndexes } from './store/ensure-indexes.ts';
import { placeOldEvents } from './store/event-keeper.ts';
import { mongoFailureRecord } from './store/failure-record.ts';
import { mongoFanOutStore, subscriptionOf } from './store/fan-out-store.ts';
import { mongoRecoveryStore } from './store/recovery-store.ts';
import { startSweeper } from './sweeper.ts';
import { workQueue } from './topology.ts';
import { workerState } from './worker-state.ts';

/** Pointers and events in hand at once. Neither waits for a receiver. */
const prefetch = { pointers: 200, events: 20 };
/** Attempts under way at once in all: some 20 kB each. */
const maxAttempts = 4_000;
const sweepIntervalMs = 1_000;

export type WorkerDeps = {
  readonly broker: Broker;
  readonly connection: Connection;
  readonly sender: Sender;
  /** Sends what may kill the process that does it. */
  readonly sendIsolated: (claimed: Claimed) => Promise<Sent<AttemptResult>>;
  readonly namespace: string;
  readonly schedule: readonly (readonly WaitingQueue[])[];
  readonly maxInFlight: number;
  readonly log: Logger;
  /** Where its metrics go. */
  readonly registry: Registry;
};

/** Starts fan-out, delivery and sweeper; `resources` stops them, attempts under way ending first. */
export async function startWorker(deps: WorkerDeps, resources: Resources): Promise<void> {
  const { broker, connection, namespace, log } = deps;
  await ensureWebhookIndexes(connection, log, resources);
  const collections = models(connection);
  await placeOldEvents(collections);
  const store = mongoAttemptStore(collections, Date.now);
  const record = mongoFailureRecord(collections);
  const publish = (queue: string, id: string) =>
    broker.publish({
      exchange: '',
      routingKey: queue,
      messageId: id,
      body: Buffer.from(id),
      contentType: 'text/plain',
    });
  const point = (id: string) => publish(workQueue(namespace), id);

  const dispatcher: Dispatcher = new Dispatcher({
    store,
    send: async (claimed) => {
      const { id, crashes } = claimed.delivery;
      if (crashes < suspectCrashes) return { kind: 'done', ...(await deps.sender.send(claimed)) };
      const sent = await deps.sendIsolated(claimed);
      if (sent.kind === 'crashed')
        log.error({ delivery: id, attempt: sent }, 'put aside: it ends what sends it');
      return sent;
    },
    schedule: deps.schedule,
    wait: (id, queue) => publish(brokerName(namespace, queue.name), id),
    ended: async (claimed, status) => {
      const disabled = await judgeSubscription(claimed, status, { record, now: Date.now });
      if (disabled)
        log.warn({ subscription: claimed.delivery.subscription }, 'disabled: all failed for 3 days');
    },
    subscriptionOf,
    maxInFlight: deps.maxInFlight,
    maxAttempts,
    now: Date.now,
    random: Math.random,
    pause: (attempt) => pause(backoffMs(attempt, { firstMs: 50, maxMs: 1_000 })),
    onAttempt: (...attempt) => metrics.attempt(...attempt),
    onProblem: (err, deliveryId) =>
      log.warn({ err, delivery: deliveryId }, 'attempt not settled; it will be found again'),
  });
  resources.defer(() => dispatcher.close());
  const state = workerState({ ...deps, collections, dispatcher, now: Date.now });
  const metrics = new WorkerMetrics(deps.registry, state, timeOfId, Date.now);

  const { fanout, bulkFanout } = eventTopology(namespace);
  const handle = fanOutEvents({ ...mongoFanOutStore(collections, Date.now), point, dispatcher });
  for (const { queue, parked } of [fanout, bulkFanout])
    await broker.consume({ queue, parked, prefetch: prefetch.events, handle });
  await broker.consume({
    queue: workQueue(namespace),
    prefetch: prefetch.pointers,
    handle: takePointers((id) => dispatcher.take(id)),
  });
  startSweeper(
    {
      takeStranded: (limit) => store.takeStranded(limit),
      take: (id) => dispatcher.take(id),
      intervalMs: sweepIntervalMs,
    },
    log,
    resources,
  );
  startRecoverer(mongoRecoveryStore(collections, Date.now), log, resources);
}
