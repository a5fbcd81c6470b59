import { brokerName, eventTopology } from '@sigcast/contracts';
import type { Broker } from '@sigcast/messaging';
import type { Dispatcher } from './domain/dispatcher.ts';
import type { WaitingQueue } from './domain/retry-schedule.ts';
import type { WorkerState } from './metrics.ts';
import { indexNames, type Models } from './store/documents.ts';
import { workQueue } from './topology.ts';

/** Looks at the worker's queues, store and slots, for its metrics. */
export function workerState(deps: {
  readonly broker: Broker;
  readonly collections: Models;
  readonly namespace: string;
  readonly schedule: readonly (readonly WaitingQueue[])[];
  readonly dispatcher: Dispatcher;
  readonly now: () => number;
}): WorkerState {
  const { broker, namespace, schedule, dispatcher, now } = deps;
  const { deliveries, subscriptions } = deps.collections;
  const { fanout } = eventTopology(namespace);
  return {
    queueDepths: () =>
      broker.withChannel(async (channel) => {
        const depth = async (queue: string) => (await channel.checkQueue(queue)).messageCount;
        let retry = 0;
        for (const { name } of schedule.flat()) retry += await depth(brokerName(namespace, name));
        return {
          fanout: await depth(fanout.queue),
          parked: await depth(fanout.parked),
          deliveries: await depth(workQueue(namespace)),
          retry,
        };
      }),
    pending: async () => {
      const open = { sweep_at: { $exists: true } };
      const late = { ...open, lease: null, next_attempt_at: { $lte: new Date(now()) } };
      const [count, [found]] = await Promise.all([
        deliveries.countDocuments(open).hint(indexNames.sweep),
        deliveries
          .aggregate<{ due: number; oldest: Date }>([
            { $match: late },
            { $group: { _id: null, due: { $sum: 1 }, oldest: { $min: '$next_attempt_at' } } },
          ])
          .hint(indexNames.sweep),
      ]);
      return { count, due: found?.due ?? 0, oldestDueAt: found?.oldest.getTime() };
    },
    subscriptions: async () => {
      const of = (status: 'enabled' | 'disabled') =>
        subscriptions.countDocuments({ status }).hint(indexNames.matching);
      const [enabled, disabled] = await Promise.all([of('enabled'), of('disabled')]);
      return { enabled, disabled };
    },
    slots: () => ({ used: dispatcher.size, backlogged: dispatcher.backlogged }),
  };
}
