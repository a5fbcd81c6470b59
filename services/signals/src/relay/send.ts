import { SigcastError } from '@sigcast/contracts';
import { isRefusedByQueue } from '@sigcast/messaging';
import type { Logger } from '@sigcast/runtime';
import type { PendingSignal } from '../domain/ports.ts';
import type { Archive, RelayedSignal } from './outbox.ts';
import type { Publish } from './paced-publish.ts';

export type SendDeps = {
  readonly archive: Pick<Archive, 'keep'>;
  readonly publish: Publish;
  readonly log: Logger;
};

/** How far the signals of a batch came. */
export type Sent = {
  readonly signals: readonly RelayedSignal[];
  /** The broker can't take any events right now. */
  readonly brokerAway: boolean;
  /** A queue is full, or can't be served: those that it gets wait, all others leave. */
  readonly refused: boolean;
};

/** Sends a batch's events, in order per signal. */
export async function send(deps: SendDeps, batch: readonly PendingSignal[]): Promise<Sent> {
  let brokerAway: unknown;
  let refused = false;
  // Before they are published: an event in a queue that is lost a moment later is in the archive then.
  await deps.archive.keep(batch.flatMap(({ events }) => events));
  const signals = await Promise.all(
    batch.map(async (pending): Promise<RelayedSignal> => {
      let relayedCount = 0;
      try {
        for (const event of pending.events) {
          await deps.publish(event, pending.priority);
          relayedCount++;
        }
      } catch (err) {
        // Who publishes tells of what queues refuse.
        if (isRefusedByQueue(err)) refused = true;
        else if (err instanceof SigcastError && err.retryable) brokerAway = err;
        // An event nobody could ever take keeps its place and its successors back, and stays in sight.
        else deps.log.error({ err, signal_id: pending.id }, 'relay: event refused');
      }
      return { ...pending, relayedCount };
    }),
  );
  if (brokerAway)
    deps.log.warn({ err: brokerAway, signals: batch.length }, 'relay: the broker is away, events wait');
  return { signals, brokerAway: brokerAway !== undefined, refused };
}
