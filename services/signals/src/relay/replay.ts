import { type EventQueue, isRetryable, type OutgoingEvent, takesEventsOf } from '@sigcast/contracts';
import { isRefusedByQueue, type QueueMarks } from '@sigcast/messaging';
import { backoffMs, keepLooking, type Logger, pause, type Resources } from '@sigcast/runtime';
import type { Archive } from './outbox.ts';

/**
 * The incarnation of each queue that is known to hold all events published for it, named by the incarnation's mark. A
 * queue without that mark was lost.
 */
export type QueueIncarnations = {
  markOf(queue: string): Promise<string | undefined>;
  /** @returns the mark that was recorded before. */
  record(queue: string, mark: string): Promise<string | undefined>;
};

type ReplayDeps = {
  readonly archive: Pick<Archive, 'all'>;
  /** Resolves when the broker has the event in this queue. */
  readonly publish: (event: OutgoingEvent, queue: string) => Promise<void>;
  readonly queues: QueueMarks;
  readonly incarnations: QueueIncarnations;
  readonly log: Logger;
  /**
   * How often queues are checked, and how long filling a queue waits after the check, in milliseconds. While all queues are
   * complete, the checks become rarer by and by.
   */
  readonly everyMs: number;
};

/** How many times `everyMs` is the longest pause between two checks. */
const rarestCheck = 5;

/** Between two tries of an event that a full queue refuses. Only that queue gets a copy, so many tries do no harm. */
const pauses = { firstMs: 200, maxMs: 1_000 };

/**
 * Checks the consumers' queues and fills a lost queue from the archive. The events go to the lost queue alone, or to the
 * bulk queue that the same consumer reads. A replay sets the queue's mark first and records the mark last, so an
 * interrupted replay begins again. The same holds when the queue is lost again meanwhile: its mark vanishes with it.
 * Consumers recognise repeated events by their id.
 *
 * @returns a function to call when queues may have been lost.
 */
export function startReplay(deps: ReplayDeps, resources: Resources): () => void {
  const loops: AsyncDisposableStack[] = [];
  const targets = new Set(deps.queues.queues.map(({ refill }) => refill));
  // A loop for each queue: one that is full for hours must not delay filling another. All loops are stopped at once.
  const { everyMs: firstMs, log } = deps;
  const pauses = { firstMs, maxMs: rarestCheck * firstMs };
  const notifies = [...targets].map((target) => {
    const loop = new AsyncDisposableStack();
    loops.push(loop);
    const check = async (stopping: AbortSignal) => {
      try {
        return (await replayOnce(deps, target, stopping)) ? firstMs : undefined;
      } catch (err) {
        if (!stopping.aborted)
          log.warn(
            { err, queue: target },
            'replay: the queue is not complete yet, filling it is tried again',
          );
        return firstMs;
      }
    };
    return keepLooking(check, pauses, loop);
  });
  resources.defer(async () => {
    await Promise.all(loops.map((loop) => loop.disposeAsync()));
  });
  return () => {
    for (const notify of notifies) notify();
  };
}

/** Publishes to `target` the events that were lost by the queues refilled through it. @returns whether any was lost. */
async function replayOnce(deps: ReplayDeps, target: string, stopping: AbortSignal): Promise<boolean> {
  const { queues, incarnations } = deps;
  /** The new mark of each lost queue. Set before the archive is read: later events reach the marked queue directly. */
  const marks = new Map<EventQueue, string>();
  try {
    await queues.declare();
    for (const queue of queues.queues.filter(({ refill }) => refill === target)) {
      const mark = await incarnations.markOf(queue.queue);
      if (mark === undefined || !(await queues.isThere(mark))) marks.set(queue, await queues.mark(queue));
    }
    if (marks.size === 0) return false;
    // A broker killed within about a second of a queue's declaration restores the queue and its mark without the
    // messages (RabbitMQ 4.3: Ra's `names.dets` is saved late).
    await pause(deps.everyMs, stopping);
    const lost = [...marks.keys()];
    const events = await publishAll(deps, { target, lost }, stopping);
    if (stopping.aborted) throw new Error('stopped meanwhile');
    for (const [queue, mark] of marks) {
      const before = await incarnations.record(queue.queue, mark);
      marks.delete(queue);
      // Removes the mark of a replica that filled the queue at the same time. A lost queue's mark is gone already.
      if (before !== undefined) await queues.remove(before);
    }
    const names = lost.map(({ queue }) => queue);
    deps.log.info({ events, queues: names, by: target }, 'replay: queues complete');
    return true;
  } catch (error) {
    for (const mark of marks.values()) await queues.remove(mark).catch(() => undefined);
    throw error;
  }
}

/** Publishes the archived events that the lost queues are bound to. @returns how many. */
async function publishAll(
  deps: ReplayDeps,
  { target, lost }: { readonly target: string; readonly lost: readonly EventQueue[] },
  stopping: AbortSignal,
): Promise<number> {
  let events = 0;
  for await (const batch of deps.archive.all()) {
    if (stopping.aborted) break;
    const wanted = batch.filter(({ type }) => lost.some((queue) => takesEventsOf(queue, type)));
    // Signals in parallel, the events of one signal in order.
    const bySignal = [...Map.groupBy(wanted, ({ data }) => data.id).values()];
    await Promise.all(
      bySignal.map(async (eventsOfSignal) => {
        for (const event of eventsOfSignal) await publishAgain(deps, event, target, stopping);
      }),
    );
    events += wanted.length;
  }
  return events;
}

/** Publishes one event. Skips an event that the broker can never take, so that the events after it are published. */
async function publishAgain(
  { publish, log }: ReplayDeps,
  event: OutgoingEvent,
  target: string,
  stopping: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await publish(event, target);
    } catch (err) {
      if (!isRetryable(err)) {
        log.error({ err, event_id: event.id }, 'replay: an event can not be published and is left out');
        return;
      }
      // Tried again in place: a replay begun anew would fill a full queue with the same first events each time.
      if (!isRefusedByQueue(err)) throw err;
      await pause(backoffMs(attempt, pauses), stopping);
    }
  }
}
