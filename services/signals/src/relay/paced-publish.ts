import { type EventPriority, eventRoutingKey, type OutgoingEvent } from '@sigcast/contracts';
import { isRefusedByQueue, refusedByQueue } from '@sigcast/messaging';
import { backoffMs, CircuitBreaker } from '@sigcast/runtime';

/** Resolves when the broker has the event in its queues. */
export type Publish = (event: OutgoingEvent, priority: EventPriority) => Promise<void>;

/** Between two tries while a queue refuses events. After at most the longest pause a queue that has room again gets them. */
const pauses = { firstMs: 500, maxMs: 10_000 };

/**
 * Publishes, and pauses while a queue refuses events because it is full or has no leader. After each pause, which grows,
 * one event is tried alone; the others follow when the queue takes it. Few tries matter because the other queues of the
 * exchange get a copy of a refused event at each try; their consumers recognise copies by the event's id.
 *
 * Pauses apply to one routing key. Events with another routing key, which the full queue does not get, are published.
 *
 * @param onRefused called with the routing key after each refused try.
 */
export function pacedPublish(
  publish: Publish,
  onRefused: (routingKey: string) => void,
  nowMs = () => performance.now(),
): Publish {
  const breakers = new Map<string, CircuitBreaker>();
  return async (event, priority) => {
    const key = eventRoutingKey(event.type, priority);
    const breaker =
      breakers.get(key) ?? new CircuitBreaker({ pauseMs: (failures) => backoffMs(failures, pauses), nowMs });
    breakers.set(key, breaker);
    const attempt = breaker.begin();
    if (attempt === undefined) throw refusedByQueue('deferred until the queue takes messages again');
    try {
      await publish(event, priority);
      attempt.succeeded();
    } catch (err) {
      if (!isRefusedByQueue(err)) attempt.abandoned();
      else if (attempt.failed()) onRefused(key);
      throw err;
    }
  };
}
