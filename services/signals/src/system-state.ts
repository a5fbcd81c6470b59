import type { BoundQueue, SignalsState } from '@sigcast/contracts';
import { type Broker, queueDepths } from '@sigcast/messaging';
import type { OutboxState } from './metrics.ts';

/** Reads for operators what waits in outboxes and in the queues of signal events, by the queries that metrics use. */
export async function readSystemState(deps: {
  readonly outbox: () => Promise<OutboxState>;
  readonly broker: Pick<Broker, 'withChannel'>;
  readonly queues: readonly BoundQueue[];
  readonly now: () => number;
}): Promise<SignalsState> {
  const { broker, queues, now } = deps;
  const [{ signals, oldestAt }, depths] = await Promise.all([
    deps.outbox(),
    // Without the broker the depths of queues are unknown; the outbox is shown all the same.
    queueDepths(broker, queues).catch(() => []),
  ]);
  const [waiting = {}, parked = {}] = depths;
  const ageS = (at: Date | undefined) =>
    at === undefined ? undefined : Math.max(0, now() - at.getTime()) / 1_000;
  const [live, bulk] = [ageS(oldestAt.live), ageS(oldestAt.bulk)];
  const parkedNames = [...new Set(queues.map((queue) => queue.parked))];
  return {
    outbox: {
      signals,
      oldest_age_s: { ...(live !== undefined && { live }), ...(bulk !== undefined && { bulk }) },
    },
    queues: [
      ...queues.map(({ queue: name }) => ({
        name,
        kind: 'waiting' as const,
        messages: waiting[name] ?? null,
      })),
      ...parkedNames.map((name) => ({ name, kind: 'parked' as const, messages: parked[name] ?? null })),
    ],
  };
}
