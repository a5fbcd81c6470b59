import { type EventQueue, type OutgoingEvent, SigcastError, takesEventsOf } from '@sigcast/contracts';
import { isRefusedByQueue, type QueueMarks } from '@sigcast/messaging';
import { backoffMs, type Logger, pause, type Resources } from '@sigcast/runtime';
import type { Archive } from './outbox.ts';

/** Which queues hold all that was published for them, each by the mark it had when it was filled. */
export type FilledQueues = {
  markOf(queue: string): Promise<string | undefined>;
  /** Returns the mark that was noted before. */
  note(queue: string, mark: string): Promise<string | undefined>;
};

export type ReplayDeps = {
  readonly archive: Pick<Archive, 'all'>;
  /** Resolves when the broker has the event in this queue. */
  readonly publish: (event: OutgoingEvent, queue: string) => Promise<void>;
  readonly queues: QueueMarks;
  readonly filled: FilledQueues;
  readonly log: Logger;
  /** How often the queues are looked at, and how long after it was found incomplete a queue is filled. */
  readonly everyMs: number;
};

/**
 * Between two tries of an event that the queue refuses which is being filled: it is full, and its consumer drains it. No
 * other queue gets a copy, so tries may be many.
 */
const pauses = { firstMs: 200, maxMs: 1_000 };

/**
 * Keeps watch over the consumers' queues and fills one that was lost from the archive: that queue alone, or the one behind
 * it that the same consumer reads. Its mark, set before, is noted last: a replay that anything interrupts begins again, and
 * so does one during which the queue was lost once more, for the mark went with it. Consumers know events by their id.
 */
export function startReplay(deps: ReplayDeps, resources: Resources): void {
  const stopping = new AbortController();
  const watch = async (target: string) => {
    while (!stopping.signal.aborted) {
      await replayOnce(deps, target, stopping.signal).catch((err: unknown) => {
        if (!stopping.signal.aborted) deps.log.warn({ err, queue: target }, 'replay: queue not complete yet');
      });
      await pause(deps.everyMs, stopping.signal).catch(() => undefined);
    }
  };
  // Side by side: one that is full for hours does not keep another one from being filled.
  const targets = new Set(deps.queues.queues.map(({ refill }) => refill));
  const running = Promise.all([...targets].map(watch));
  resources.defer(async () => {
    stopping.abort();
    await running;
  });
}

/** Fills the queue `target` with what it, or another queue that it stands in for, has lost. */
async function replayOnce(deps: ReplayDeps, target: string, stopping: AbortSignal): Promise<void> {
  const { queues, filled } = deps;
  /** Marks by queue, set before the archive is read: what is published from then on reaches the queue that has it. */
  const marks = new Map<EventQueue, string>();
  try {
    await queues.declare();
    for (const queue of queues.queues.filter(({ refill }) => refill === target)) {
      const mark = await filled.markOf(queue.queue);
      if (mark === undefined || !(await queues.isThere(mark))) marks.set(queue, await queues.mark(queue));
    }
    if (marks.size === 0) return;
    // A broker that is killed within about a second of a queue's declaration brings the queue and its mark back, and
    // nothing of what was in it (RabbitMQ 4.3: Ra's `names.dets` is saved late).
    await pause(deps.everyMs, stopping);
    const lost = [...marks.keys()];
    const events = await publishAll(deps, { target, lost }, stopping);
    if (stopping.aborted) throw new Error('stopped meanwhile');
    for (const [queue, mark] of marks) {
      const before = await filled.note(queue.queue, mark);
      marks.delete(queue);
      // Another replica's that filled it at the same time; of a queue that was lost, nothing is there.
      if (before !== undefined) await queues.remove(before);
    }
    const names = lost.map(({ queue }) => queue);
    deps.log.info({ events, queues: names, by: target }, 'replay: queues complete');
  } catch (error) {
    for (const mark of marks.values()) await queues.remove(mark).catch(() => undefined);
    throw error;
  }
}

/** Publishes what the archive holds of events that the lost queues get. Returns how many. */
async function publishAll(
  deps: ReplayDeps,
  { target, lost }: { readonly target: string; readonly lost: readonly EventQueue[] },
  stopping: AbortSignal,
): Promise<number> {
  let events = 0;
  for await (const batch of deps.archive.all()) {
    if (stopping.aborted) break;
    const taken = batch.filter(({ type }) => lost.some((queue) => takesEventsOf(queue, type)));
    // Side by side, but one event of a signal after the other.
    const bySignal = [...Map.groupBy(taken, ({ data }) => data.id).values()];
    await Promise.all(
      bySignal.map(async (ofOne) => {
        for (const event of ofOne) await publishAgain(deps, event, target, stopping);
      }),
    );
    events += taken.length;
  }
  return events;
}

/** Publishes one event; what nobody could ever take must not keep back what comes after it. */
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
      if (!(err instanceof SigcastError && err.retryable)) {
        log.error({ err, event_id: event.id }, 'replay: event refused');
        return;
      }
      // Begun anew, a replay into a full queue would send the same events again and again, and never come to the end.
      if (!isRefusedByQueue(err)) throw err;
      await pause(backoffMs(attempt, pauses), stopping);
    }
  }
}
