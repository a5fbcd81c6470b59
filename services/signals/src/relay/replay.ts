import { type EventQueue, SigcastError, type SignalEvent } from '@sigcast/contracts';
import { type Logger, pause, type Resources } from '@sigcast/runtime';
import type { Archive } from './outbox.ts';

export type ReplayDeps = {
  readonly archive: Pick<Archive, 'all'>;
  /** Resolves when the broker has the event in its queues. */
  readonly publish: (event: SignalEvent) => Promise<void>;
  /** Declares the queues and returns those that may lack events. */
  readonly unmarkedQueues: () => Promise<readonly EventQueue[]>;
  /** Marks queues as complete; the mark vanishes with the queue. */
  readonly markQueues: (queues: readonly EventQueue[]) => Promise<void>;
  readonly log: Logger;
  /** How often the queues are looked at. */
  readonly everyMs: number;
};

/**
 * Keeps watch over the consumers' queues and publishes the archive again when one of them was lost with what it held.
 * The mark is set last: a replay that anything interrupts begins again. Consumers know events by their id.
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
  const queues = await deps.unmarkedQueues();
  if (queues.length === 0) return;
  let events = 0;
  for await (const batch of deps.archive.all()) {
    if (stopping.aborted) return;
    await Promise.all(batch.map((event) => publishAgain(deps, event)));
    events += batch.length;
  }
  await deps.markQueues(queues);
  deps.log.info({ queues: queues.map(({ queue }) => queue), events }, 'replay: queues complete');
}

/** What nobody could ever take must not keep back what comes after it. */
async function publishAgain({ publish, log }: ReplayDeps, event: SignalEvent): Promise<void> {
  try {
    await publish(event);
  } catch (err) {
    if (err instanceof SigcastError && err.retryable) throw err;
    log.error({ err, event_id: event.id }, 'replay: event refused');
  }
}
