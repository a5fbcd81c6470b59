import { type EventPriority, SigcastError, type SignalEvent } from '@sigcast/contracts';
import type { QueueMarks } from '@sigcast/messaging';
import { type Logger, pause, type Resources } from '@sigcast/runtime';
import type { Archive } from './outbox.ts';

/** Which queues hold all that was published for them, each by the mark it had when it was filled. */
export type FilledQueues = {
  markOf(queue: string): Promise<string | undefined>;
  /** Returns the mark that was noted before. */
  note(queue: string, mark: string): Promise<string | undefined>;
};

export type ReplayDeps = {
  readonly archive: Pick<Archive, 'all'>;
  /** Resolves when the broker has the event in its queues. */
  readonly publish: (event: SignalEvent, priority: EventPriority) => Promise<void>;
  readonly queues: QueueMarks;
  readonly filled: FilledQueues;
  readonly log: Logger;
  /** How often the queues are looked at, and how long after it was found incomplete a queue is filled. */
  readonly everyMs: number;
};

/**
 * Keeps watch over the consumers' queues and publishes the archive again when one of them was lost with what it held.
 * Its mark, set before, is noted last: a replay that anything interrupts begins again, and so does one during which the
 * queue was lost once more, for the mark went with it. Consumers know events by their id.
 */
export function startReplay(deps: ReplayDeps, resources: Resources): void {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      await replayOnce(deps, stopping.signal).catch((err: unknown) => {
        deps.log.warn({ err }, 'replay: queues not complete yet');
      });
      await pause(deps.everyMs, stopping.signal).catch(() => undefined);
    }
  };
  const running = run();
  resources.defer(async () => {
    stopping.abort();
    await running;
  });
}

async function replayOnce(deps: ReplayDeps, stopping: AbortSignal): Promise<void> {
  const { queues, filled } = deps;
  /** Marks by queue, set before the archive is read: what is published from then on reaches the queue that has it. */
  const marks = new Map<string, string>();
  try {
    for (const queue of await queues.declare()) {
      const mark = await filled.markOf(queue.queue);
      if (mark === undefined || !(await queues.isThere(mark)))
        marks.set(queue.queue, await queues.mark(queue));
    }
    if (marks.size === 0) return;
    // A broker that is killed within about a second of a queue's declaration brings the queue and its mark back, and
    // nothing of what was in it (RabbitMQ 4.3: Ra's names.dets is saved late).
    await pause(deps.everyMs, stopping);
    const events = await publishAll(deps, stopping);
    if (stopping.aborted) throw new Error('stopped meanwhile');
    for (const [queue, mark] of marks) {
      const before = await filled.note(queue, mark);
      marks.delete(queue);
      // Another replica's that filled it at the same time; of a queue that was lost, nothing is there.
      if (before !== undefined) await queues.remove(before);
    }
    deps.log.info({ events }, 'replay: queues complete');
  } catch (error) {
    for (const mark of marks.values()) await queues.remove(mark).catch(() => undefined);
    throw error;
  }
}

/** Publishes what the archive holds. Returns how many events. */
async function publishAll(deps: ReplayDeps, stopping: AbortSignal): Promise<number> {
  let events = 0;
  for await (const batch of deps.archive.all()) {
    if (stopping.aborted) break;
    await Promise.all(batch.map((event) => publishAgain(deps, event)));
    events += batch.length;
  }
  return events;
}

/** Behind what is live now. What nobody could ever take must not keep back what comes after it. */
async function publishAgain({ publish, log }: ReplayDeps, event: SignalEvent): Promise<void> {
  try {
    await publish(event, 'bulk');
  } catch (err) {
    if (err instanceof SigcastError && err.retryable) throw err;
    log.error({ err, event_id: event.id }, 'replay: event refused');
  }
}
