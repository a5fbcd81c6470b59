import type { BoundQueue } from '@sigcast/contracts';
import type { Broker } from './broker.ts';
import { messagesReady } from './topology.ts';

/** Gauges of a consumer's queues, whose values {@link queueDepths} reads. */
export const queueGauges = [
  {
    name: 'sigcast_queue_messages',
    help: 'Messages that wait in queues, without those in hand.',
    label: 'queue',
  },
  {
    name: 'sigcast_queue_parked_messages',
    help: 'Messages that could not be handled, and wait for an operator.',
    label: 'queue',
  },
] as const;

/** How long to wait for one queue, in milliseconds: less than a scrape's timeout, so that only a silent queue is left out. */
const answerTimeoutMs = 700;

/**
 * The numbers of waiting and of parked messages of these queues, for {@link queueGauges}; undefined for a queue that is
 * missing or does not answer within 0.7 s.
 * @throws {SigcastError} SERVICE_UNAVAILABLE without a connection.
 */
export async function queueDepths(
  broker: Pick<Broker, 'withChannel'>,
  queues: readonly BoundQueue[],
): Promise<readonly Readonly<Record<string, number | undefined>>[]> {
  const waiting = queues.map(({ queue }) => queue);
  const parked = [...new Set(queues.map((queue) => queue.parked))];
  const ready = await messagesReady(broker, [...waiting, ...parked], answerTimeoutMs);
  const of = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, ready.get(name)]));
  return [of(waiting), of(parked)];
}
