import { isRetryable } from '@sigcast/contracts';
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

/** What became of a batch. */
export type Sent = {
  readonly signals: readonly RelayedSignal[];
  /** The broker takes no events at all at the moment. */
  readonly brokerAway: boolean;
  /** A queue refused some of the events: it is full or has no leader. */
  readonly refused: boolean;
};

/** Publishes a batch's events, in order per signal. */
export async function send(deps: SendDeps, batch: readonly PendingSignal[]): Promise<Sent> {
  let brokerAway: unknown;
  let refused = false;
  // Archived before they are published, so that a queue lost a moment later can be filled with them.
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
        // `publish` logs what queues refuse.
        if (isRefusedByQueue(err)) refused = true;
        else if (isRetryable(err)) brokerAway = err;
        // The event stays in the outbox, and with it the later events of its signal, until an operator acts.
        else
          deps.log.error(
            { err, signal_id: pending.id },
            'relay: an event can not be published, its signal waits',
          );
      }
      return { ...pending, relayedCount };
    }),
  );
  if (brokerAway)
    deps.log.warn({ err: brokerAway, signals: batch.length }, 'relay: the broker is away, events wait');
  return { signals, brokerAway: brokerAway !== undefined, refused };
}
