import { type EventQueue, priorityOfRoutingKey } from '@sigcast/contracts';
import { type Broker, type Consumer, parseEventAs } from '@sigcast/messaging';
import type { RevisionStore } from '../domain/ports.ts';
import { revisionEventSchema, revisionOf } from '../domain/revision.ts';
import { entryOf } from '../domain/tlog/entry.ts';
import type { WaitingEntries } from '../domain/tlog/ports.ts';

/** Events in flight, which are written together: enough to hide the store's latency, few enough to redeliver quickly. */
const prefetch = 250;

/** How long a batch of observations waits for more, in milliseconds. Many small batches cost the store much more than few. */
export const lingerMs = 50;

export type RecordDeps = {
  readonly revisions: RevisionStore;
  /** Where the entries of the public log wait. Without it, there is no log here. */
  readonly waiting?: WaitingEntries | undefined;
};

/**
 * Records the observation of every event. An event is acknowledged when its observation and its signal are stored, and its entry
 * of the public log, if it has one, waits for it.
 */
export function recordObservations(
  broker: Broker,
  { queue, parked }: EventQueue,
  { revisions, waiting }: RecordDeps,
): Promise<Consumer> {
  return broker.consume({
    queue,
    parked,
    prefetch,
    handle: async (message) => {
      const event = parseEventAs(message, revisionEventSchema);
      const entry = waiting && entryOf(event, priorityOfRoutingKey(message.routingKey));
      await Promise.all([revisions.record(revisionOf(event)), entry && waiting.add(entry)]);
    },
  });
}
