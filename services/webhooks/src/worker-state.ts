import { accountTopology, eventTopology } from '@sigcast/contracts';
import { type Broker, messagesReady } from '@sigcast/messaging';
import type { Scheduler } from './domain/scheduler.ts';
import type { WorkerState } from './metrics.ts';
import { indexNames } from './store/indexes.ts';
import type { Models } from './store/models.ts';

/** Counting ends here: more is "very many" to an alert and to an autoscaler. */
const mostCounted = 20_000;

/** Looks at the worker's queues, store and lanes, for its metrics. */
export function workerState(deps: {
  readonly broker: Broker;
  readonly collections: Models;
  readonly namespace: string;
  readonly scheduler: Scheduler;
  readonly now: () => number;
}): WorkerState {
  const { broker, namespace, scheduler, now } = deps;
  const { deliveries, subscriptions } = deps.collections;
  const { fanout, bulkFanout } = eventTopology(namespace);
  const { webhooks: accounts } = accountTopology(namespace);
  const count = (filter: object) =>
    deliveries.countDocuments(filter, { limit: mostCounted }).hint(indexNames.due);
  return {
    queueDepths: async () => {
      const parked = [fanout.parked, accounts.parked];
      const ready = await messagesReady(broker, [fanout.queue, bulkFanout.queue, accounts.queue, ...parked]);
      return {
        fanout: ready.get(fanout.queue),
        bulk: ready.get(bulkFanout.queue),
        accounts: ready.get(accounts.queue),
        parked: parked.reduce((sum, queue) => sum + (ready.get(queue) ?? 0), 0),
      };
    },
    pending: async () => {
      const [all, due, overdue] = await Promise.all([
        count({ status: 'pending' }),
        count({ status: 'pending', lease: null, next_attempt_at: { $lte: new Date(now()) } }),
        subscriptions
          .findOne({ status: 'enabled', due_at: { $lte: new Date(now()), $gt: new Date(0) } }, { due_at: 1 })
          .sort({ due_at: 1 })
          .hint(indexNames.lanes)
          .lean(),
      ]);
      const oldest = [scheduler.state.oldestDueAt, overdue?.due_at.getTime()].filter(
        (at) => at !== undefined,
      );
      return { count: all, due, oldestDueAt: oldest.length > 0 ? Math.min(...oldest) : undefined };
    },
    subscriptions: async () => {
      const of = (status: 'enabled' | 'disabled') =>
        subscriptions.countDocuments({ status }).hint(indexNames.matching);
      const [enabled, disabled] = await Promise.all([of('enabled'), of('disabled')]);
      return { enabled, disabled };
    },
    lanes: () => {
      const { attempts, lanes, open } = scheduler.state;
      return { attempts, lanes, circuits_open: open };
    },
  };
}
