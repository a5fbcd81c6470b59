import { type EventPriority, eventRoutingKey, type OutgoingEvent } from '@sigcast/contracts';
import { isRefusedByQueue, refusedByQueue } from '@sigcast/messaging';
import { backoffMs } from '@sigcast/runtime';

/** Resolves when the broker has the event in its queues. */
export type Publish = (event: OutgoingEvent, priority: EventPriority) => Promise<void>;

/** Between two tries of what a queue refuses. The longest one is how late events may go on when the queue takes them again. */
const pauses = { firstMs: 500, maxMs: 10_000 };

/** Longer than an answer to a try may take: until then nothing else is tried. */
const answerMs = 10_000;

type Refusal = { readonly failures: number; readonly untilMs: number };

/**
 * Publishes, and holds back what a queue refuses, which is full or can't be served: after growing pauses one event is tried
 * alone, and the others follow when it was taken. Of the queues behind an exchange all others take a copy of an event at
 * each try, although one refuses it and it stays in its outbox: they know it by its id, and few tries make few copies.
 * By routing key, which decides the queues: events that the full queue does not get leave meanwhile.
 *
 * @param onRefused told of each try that was refused.
 */
export function pacedPublish(
  publish: Publish,
  onRefused: (routingKey: string) => void,
  nowMs = () => performance.now(),
): Publish {
  const refusals = new Map<string, Refusal>();
  return async (event, priority) => {
    const key = eventRoutingKey(event.type, priority);
    let known = refusals.get(key);
    if (known) {
      if (nowMs() < known.untilMs) throw refusedByQueue('held back until a queue takes messages again');
      known = { ...known, untilMs: nowMs() + answerMs };
      refusals.set(key, known);
    }
    // Answers to what was sent side by side with others say no more than the first of them.
    const change = (refusal: Refusal | undefined) => {
      if (refusals.get(key) !== known) return;
      if (refusal) refusals.set(key, refusal);
      else refusals.delete(key);
    };
    try {
      await publish(event, priority);
      change(undefined);
    } catch (err) {
      if (isRefusedByQueue(err)) {
        const failures = (known?.failures ?? 0) + 1;
        if (refusals.get(key) === known) onRefused(key);
        change({ failures, untilMs: nowMs() + backoffMs(failures, pauses) });
      } else if (known) change({ ...known, untilMs: nowMs() });
      throw err;
    }
  };
}
