import { type EventPriority, eventRoutingKey, type OutgoingEvent } from '@sigcast/contracts';
import { isRefusedByQueue, refusedByQueue } from '@sigcast/messaging';
import { backoffMs } from '@sigcast/runtime';

/** Resolves when the broker has the event in its queues. */
export type Publish = (event: OutgoingEvent, priority: EventPriority) => Promise<void>;

/** Between two tries while a queue refuses events. After at most the longest pause a queue that has room again gets them. */
const pauses = { firstMs: 500, maxMs: 10_000 };

/** Longer than the broker's answer to a try may take. Meanwhile nothing else is tried. */
const answerMs = 10_000;

type Refusal = { readonly failures: number; readonly untilMs: number };

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
  const refusals = new Map<string, Refusal>();
  return async (event, priority) => {
    const key = eventRoutingKey(event.type, priority);
    let refusal = refusals.get(key);
    if (refusal) {
      if (nowMs() < refusal.untilMs) throw refusedByQueue('deferred until the queue takes messages again');
      refusal = { ...refusal, untilMs: nowMs() + answerMs };
      refusals.set(key, refusal);
    }
    // Of events published in parallel only the first answer counts.
    const isFirstAnswer = () => refusals.get(key) === refusal;
    const change = (next: Refusal | undefined) => {
      if (!isFirstAnswer()) return;
      if (next) refusals.set(key, next);
      else refusals.delete(key);
    };
    try {
      await publish(event, priority);
      change(undefined);
    } catch (err) {
      if (isRefusedByQueue(err)) {
        const failures = (refusal?.failures ?? 0) + 1;
        if (isFirstAnswer()) onRefused(key);
        change({ failures, untilMs: nowMs() + backoffMs(failures, pauses) });
      } else if (refusal) change({ ...refusal, untilMs: nowMs() });
      throw err;
    }
  };
}
