import type { EventQueue } from '@sigcast/contracts';
import { type Broker, type Consumer, parseEventAs } from '@sigcast/messaging';
import { factEventSchema, factOf } from '../domain/fact.ts';
import type { FactStore } from '../domain/ports.ts';

/** Events in flight, which are written together: enough to hide the store's latency, few enough to redeliver quickly. */
const prefetch = 250;

/**
 * How long a batch of facts waits for more, in milliseconds: a small part of the second within which figures follow. Many small
 * batches cost the store much more than few.
 */
export const lingerMs = 50;

/** Stores a fact for every event. An event is acknowledged when its fact is stored. */
export function recordFacts(
  broker: Broker,
  { queue, parked }: EventQueue,
  facts: FactStore,
): Promise<Consumer> {
  return broker.consume({
    queue,
    parked,
    prefetch,
    handle: async (message) => facts.record(factOf(parseEventAs(message, factEventSchema))),
  });
}
