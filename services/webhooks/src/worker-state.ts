import { accountTopology, eventTopology } from '@sigcast/contracts';
import { type Broker, queueDepths } from '@sigcast/messaging';
import { idBatches } from '@sigcast/mongo';
import { hiddenMs } from './domain/lanes-in-hand.ts';
import type { Scheduler } from './domain/scheduler.ts';
import type { WorkerState } from './metrics.ts';
import { indexNames } from './store/indexes.ts';
import type { Models } from './store/models.ts';
import { countPending, mostCounted, oldestUntaken, readTimeoutMs } from './store/waiting.ts';

/** Looks at the worker's queues, store and lanes, for its metrics. */
export function workerState(deps: {
  readonly broker: Broker;
  readonly collections: Models;
  readonly namespace: string;
  readonly scheduler: Pick<Scheduler, 'state' | 'misses'>;
  readonly now: () => number;
}): WorkerState {
  const { broker, namespace, scheduler, now } = deps;
  const { deliveries, subscriptions } = deps.collections;
  const { fanout, bulkFanout } = eventTopology(namespace);
  const { webhooks: accounts } = accountTopology(namespace);
  const count = (filter: object, limit = mostCounted) =>
    deliveries.countDocuments(filter, { limit, maxTimeMS: readTimeoutMs }).hint(indexNames.due);
  /**
   * By subscription, as the index has them: asked for all at once, all that wait for a later time would be read, too.
   * Only of those that a worker has in hand, or that wait for one.
   */
  const countDue = async () => {
    const nowMs = now();
    const lanes = await subscriptions
      .find({ due_at: { $lte: new Date(nowMs + hiddenMs) } }, { _id: 1 }, { maxTimeMS: readTimeoutMs })
      .limit(mostCounted)
      .hint(indexNames.lanes)
      .lean();
    const due = { status: 'pending', lease: null, next_attempt_at: { $lte: new Date(nowMs) } };
    let total = 0;
    for (const some of idBatches(lanes.map(({ _id }) => _id))) {
      total += await count({ ...due, subscription: { $in: some } }, mostCounted - total);
      if (total === mostCounted) break;
    }
    return total;
  };
  return {
    queueDepths: () => queueDepths(broker, [fanout, bulkFanout, accounts]),
    pending: () => countPending(deps.collections),
    due: countDue,
    oldestDueAt: async () => {
      const missesMarked = ({ _id, account }: { _id: string; account: string }) =>
        scheduler.misses(_id, account);
      const untaken = await oldestUntaken(deps.collections, { now, missesMarked });
      const oldest = [scheduler.state.oldestDueAt, untaken].filter((at) => at !== undefined);
      return oldest.length > 0 ? Math.min(...oldest) : undefined;
    },
    subscriptions: async () => {
      const of = (status: 'enabled' | 'disabled') =>
        subscriptions.countDocuments({ status }, { maxTimeMS: readTimeoutMs }).hint(indexNames.matching);
      const [enabled, disabled] = await Promise.all([of('enabled'), of('disabled')]);
      return { enabled, disabled };
    },
    lanes: () => {
      const { attempts, lanes, open } = scheduler.state;
      return { attempts, lanes, circuitsOpen: open };
    },
  };
}
