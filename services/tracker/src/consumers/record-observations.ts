import type { EventQueue } from '@sigcast/contracts';
import { type Broker, type Consumer, parseEventAs } from '@sigcast/messaging';
import type { RevisionStore } from '../domain/ports.ts';
import { revisionEventSchema, revisionOf } from '../domain/revision.ts';

/** Events in flight, which are written together: enough to hide the store's latency, few enough to redeliver quickly. */
const prefetch = 250;

/** How long a batch of observations waits for more, in milliseconds. Many small batches cost the store much more than few. */
export const lingerMs = 50;

/** Records the observation of every event. An event is acknowledged when its observation and its signal are stored. */
export function recordObservations(
  broker: Broker,
  { queue, parked }: EventQueue,
  revisions: RevisionStore,
): Promise<Consumer> {
  return broker.consume({
    queue,
    parked,
    prefetch,
    handle: async (message) => revisions.record(revisionOf(parseEventAs(message, revisionEventSchema))),
  });
}
