import { brokerName, eventTopology } from '@sigcast/contracts';
import { assertQuorumQueue, type DeclareTopology, declareEventTopology } from '@sigcast/messaging';
import type { WaitingQueue } from './domain/retry-schedule.ts';

/** The queue of pointers to deliveries that are due. */
export function workQueue(namespace: string): string {
  return brokerName(namespace, 'webhooks.deliveries');
}

/** Declares signal events' topology, the work queue, and the waiting queues that lead back to it. */
export function declareWorkerTopology(
  namespace: string,
  schedule: readonly (readonly WaitingQueue[])[],
): DeclareTopology {
  return async (channel) => {
    await declareEventTopology(channel, eventTopology(namespace));
    const work = workQueue(namespace);
    await assertQuorumQueue(channel, work);
    for (const { name, ttlMs } of schedule.flat()) {
      await assertQuorumQueue(channel, brokerName(namespace, name), { deadLetterTo: work, ttlMs });
    }
  };
}
