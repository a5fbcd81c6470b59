import { accountTopology, eventTopology, webhookTopology } from '@sigcast/contracts';
import { type Broker, queueDepths } from '@sigcast/messaging';
import { idBatches } from '@sigcast/mongo';
import { holdMs } from './domain/lane.ts';
import type { Scheduler } from './domain/scheduler.ts';
import type { WorkerState } from './metrics.ts';
import { countPending, maxCounted, oldestUnclaimed, readTimeoutMs } from './store/backlog.ts';
import { indexNames } from './store/indexes.ts';
import type { Models } from './store/models.ts';

/** Reads the worker's queues, store and lanes, for its metrics. */
export function workerState(deps: {
  readonly broker: Broker;
  readonly collections: Models;
  readonly namespace: string;
  readonly scheduler: Pick<Scheduler, 'state' | 'isIdle'>;
  readonly now: () => number;
}): WorkerState {
  const { broker, namespace, scheduler, now } = deps;
  const { deliveries, subscriptions } = deps.collections;
  const { fanout, bulkFanout } = eventTopology(namespace);
  const { webhooks: accounts } = accountTopology(namespace);
  const { gateway: notices } = webhookTopology(namespace);
  const count = (filter: object, limit = maxCounted) =>
    deliveries.countDocuments(filter, { limit, maxTimeMS: readTimeoutMs }).hint(indexNames.due);
  /**
   * Counts by subscription, which is the first field of the index: a count over all of them would read every delivery that
   * waits for a later time. Only lanes that are due or worked on are counted; a hold ends at a whole second.
   */
  const countDue = async () => {
    const nowMs = now();
    const lanes = await subscriptions
      .find({ due_at: { $lte: new Date(nowMs + holdMs + 1_000) } }, { _id: 1 }, { maxTimeMS: readTimeoutMs })
      .limit(maxCounted)
      .hint(indexNames.lanes)
      .lean();
    const due = { status: 'pending', lease: null, next_attempt_at: { $lte: new Date(nowMs) } };
    let total = 0;
    for (const some of idBatches(lanes.map(({ _id }) => _id))) {
      total += await count({ ...due, subscription: { $in: some } }, maxCounted - total);
      if (total === maxCounted) break;
    }
    return total;
  };
  return {
    queueDepths: () => queueDepths(broker, [fanout, bulkFanout, accounts, notices]),
    pending: () => countPending(deps.collections),
    due: countDue,
    oldestDueAt: async () => {
      const isUnclaimed = ({ _id, account }: { _id: string; account: string }) =>
        scheduler.isIdle(_id, account);
      const unclaimed = await oldestUnclaimed(deps.collections, { now, isUnclaimed });
      const oldest = [scheduler.state.oldestDueAt, unclaimed].filter((at) => at !== undefined);
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
