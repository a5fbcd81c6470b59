import type { EventQueue } from '@sigcast/contracts';
import { isRetryable, type OutgoingEvent, takesEventsOf } from '@sigcast/contracts';
import { isRefusedByQueue, type NoteMissing } from '@sigcast/messaging';
import { backoffMs, type Logger, pause } from '@sigcast/runtime';
import type { Archive } from './outbox.ts';

/** The queues that the broker lost, until an operator has refilled them. */
export type LostQueues = {
  note(queue: string, at: Date): Promise<void>;
  /** When each of them was lost. */
  all(): Promise<ReadonlyMap<string, Date>>;
  /** Ends the loss that was noted with this instant, and no later one. */
  refilled(queue: string, lostAt: Date): Promise<void>;
};

/**
 * Returns a function to call before a missing queue is declared. Every queue exists before the first event is published, so
 * a queue that is missing although there are events was lost. In a new system there are none.
 */
export function noteLost(deps: {
  readonly archive: Pick<Archive, 'hasEventsOf'>;
  readonly lost: Pick<LostQueues, 'note'>;
  readonly log: Logger;
}): NoteMissing {
  return async (queue, before) => {
    if (!(await deps.archive.hasEventsOf(before))) return;
    await deps.lost.note(queue, new Date());
    deps.log.error(
      { queue },
      'relay: a queue was lost with its messages; `queues refill` publishes them again',
    );
  };
}

/** Between two tries of an event that a full queue refuses. Only that queue gets a copy, so many tries do no harm. */
const pauses = { firstMs: 200, maxMs: 1_000 };

/**
 * Publishes the archived events of a queue again, to `queue.refill` alone, in order per signal. Consumers recognise repeated
 * events by their id. Waits while the queue is full. An event that the broker can never take is left out and logged.
 *
 * @returns how many events were published.
 * @throws {SigcastError} SERVICE_UNAVAILABLE without the broker, the store or the queue. The queue then still counts as lost.
 */
export async function refill(
  deps: {
    readonly archive: Pick<Archive, 'all'>;
    readonly lost: LostQueues;
    /** Resolves when the broker has the event in this queue. */
    readonly publish: (event: OutgoingEvent, queue: string) => Promise<void>;
    readonly log: Logger;
  },
  queue: EventQueue,
): Promise<number> {
  // Read before the archive: a queue that is lost again meanwhile stays lost.
  const lostAt = (await deps.lost.all()).get(queue.queue);
  let published = 0;
  const publishAgain = async (event: OutgoingEvent) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await deps.publish(event, queue.refill);
        published++;
        return;
      } catch (err) {
        if (!isRetryable(err)) {
          deps.log.error(
            { err, event_id: event.id },
            'refill: an event can not be published and is left out',
          );
          return;
        }
        if (!isRefusedByQueue(err)) throw err;
        await pause(backoffMs(attempt, pauses));
      }
    }
  };
  for await (const batch of deps.archive.all()) {
    const wanted = batch.filter(({ type }) => takesEventsOf(queue, type));
    // Signals in parallel, the events of one signal in order.
    const bySignal = [...Map.groupBy(wanted, ({ data }) => data.id).values()];
    await Promise.all(
      bySignal.map(async (events) => {
        for (const event of events) await publishAgain(event);
      }),
    );
  }
  if (lostAt !== undefined) await deps.lost.refilled(queue.queue, lostAt);
  return published;
}
