import type { EventPriority, EventQueue, SignalEvent } from '@sigcast/contracts';
import { addGauges } from '@sigcast/http';
import { Histogram, type Registry } from 'prom-client';
import type { LostQueues } from './relay/lost-queues.ts';

/** What waits in outboxes. */
export type OutboxState = {
  /** Signals with waiting events; 10,000 stands for 10,000 or more. */
  readonly signals: number;
  /** When the oldest waiting event happened, by priority; absent where none waits. */
  readonly oldestAt: Readonly<Partial<Record<EventPriority, Date>>>;
};

const lags = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800];

/** Adds a gauge of lost queues, which are read from the store each time metrics are read. */
export function addLostQueues(
  registry: Registry,
  queues: readonly EventQueue[],
  lost: Pick<LostQueues, 'all'>,
): void {
  const gauge = {
    name: 'sigcast_queue_lost',
    help: '1 from the loss of a queue by the broker until an operator has refilled it.',
    label: 'queue',
  };
  addGauges(registry, [gauge], async () => {
    const found = await lost.all();
    return [Object.fromEntries(queues.map(({ queue }) => [queue, found.has(queue) ? 1 : 0]))];
  });
}

/** The relay's metrics. */
export class RelayMetrics {
  readonly #lag: Histogram<'priority'>;

  /** `outbox`: called each time metrics are read, so it must cost little however many events wait. */
  constructor(registry: Registry, outbox: () => Promise<OutboxState>, nowMs: () => number) {
    this.#lag = new Histogram({
      name: 'sigcast_relay_lag_seconds',
      help: 'From an event to its confirmation by the broker.',
      labelNames: ['priority'],
      buckets: lags,
      registers: [registry],
    });
    const gauges = [
      {
        name: 'sigcast_outbox_signals',
        help: 'Signals with events that have not left, of all replicas; 10000 stands for more, too.',
      },
      {
        name: 'sigcast_outbox_oldest_age_seconds',
        help: 'Age of the oldest event that has not left, of those due first, 0 for none.',
        label: 'priority',
      },
    ];
    addGauges(registry, gauges, async () => {
      const { signals, oldestAt } = await outbox();
      const age = (at: Date | undefined) =>
        at === undefined ? 0 : Math.max(0, nowMs() - at.getTime()) / 1_000;
      return [signals, { live: age(oldestAt.live), bulk: age(oldestAt.bulk) }];
    });
  }

  /** Records that the broker confirmed an event at `atMs`, in Unix milliseconds. */
  relayed({ occurred_at }: Pick<SignalEvent, 'occurred_at'>, priority: EventPriority, atMs: number): void {
    this.#lag.observe({ priority }, Math.max(0, atMs - Date.parse(occurred_at)) / 1_000);
  }
}
