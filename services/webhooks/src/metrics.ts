import { addGauge } from '@sigcast/http';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { AttemptResult, Claimed } from './domain/attempting.ts';

/** What the worker looks up when its metrics are asked for. */
export type WorkerState = {
  /** Messages that wait in each queue that is there. */
  queueDepths(): Promise<Readonly<Record<'fanout' | 'bulk' | 'accounts' | 'parked', number | undefined>>>;
  /**
   * Deliveries that have not ended, how many of them are due and nobody attempts, and since when the oldest of these has
   * been due, in Unix milliseconds.
   */
  pending(): Promise<{
    readonly count: number;
    readonly due: number;
    readonly oldestDueAt: number | undefined;
  }>;
  /** Subscriptions by status. */
  subscriptions(): Promise<Readonly<Record<string, number>>>;
  /** This process's attempts under way, the lanes it has in hand, and those of them whose endpoints only hang. */
  lanes(): Readonly<Record<'attempts' | 'lanes' | 'circuits_open', number>>;
};

const lagBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800];

/** What the worker tells its operators. Every label has few values: never a subscription or an account. */
export class WorkerMetrics {
  readonly #attempts: Counter<'outcome'>;
  readonly #duration: Histogram;
  readonly #lag: Histogram;
  readonly #timeOfId: (id: string) => number | undefined;

  /** `timeOfId`: when what has this id was made, in Unix milliseconds. */
  constructor(
    registry: Registry,
    state: WorkerState,
    timeOfId: (id: string) => number | undefined,
    now: () => number,
  ) {
    const registers = [registry];
    this.#timeOfId = timeOfId;
    this.#attempts = new Counter({
      name: 'sigcast_webhooks_attempts_total',
      help: 'Attempts at deliveries that came to an outcome.',
      labelNames: ['outcome'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'sigcast_webhooks_attempt_duration_seconds',
      help: 'From the first byte of name resolution to the end of the answer, or of waiting for one.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    });
    this.#lag = new Histogram({
      name: 'sigcast_webhooks_first_attempt_lag_seconds',
      help: 'From an event to the begin of the first attempt to deliver it.',
      buckets: lagBuckets,
      registers,
    });
    addGauge(
      registry,
      { name: 'sigcast_webhooks_queue_messages', help: 'Messages in queues.', label: 'queue' },
      () => state.queueDepths(),
    );
    addGauge(
      registry,
      { name: 'sigcast_webhooks_subscriptions', help: 'Subscriptions.', label: 'status' },
      () => state.subscriptions(),
    );
    addGauge(
      registry,
      {
        name: 'sigcast_webhooks_in_hand',
        help: 'In this process: attempts under way, lanes worked on, open circuits.',
        label: 'what',
      },
      async () => state.lanes(),
    );
    addGauge(
      registry,
      {
        name: 'sigcast_webhooks_pending',
        help: 'Deliveries that have not ended: their number, how many wait though due, seconds since the oldest of these was due.',
        label: 'what',
      },
      async () => {
        const { count, due, oldestDueAt } = await state.pending();
        return {
          deliveries: count,
          due,
          oldest_due_seconds: oldestDueAt === undefined ? 0 : (now() - oldestDueAt) / 1_000,
        };
      },
    );
  }

  attempt(
    { delivery }: Claimed,
    { outcome }: AttemptResult,
    [startedAt, endedAt]: readonly [number, number],
  ): void {
    this.#attempts.inc({ outcome });
    this.#duration.observe((endedAt - startedAt) / 1_000);
    const eventAt = delivery.attempts.length === 0 ? this.#timeOfId(delivery.eventId) : undefined;
    // Clocks of two machines: what seems to come before its event came at once.
    if (eventAt !== undefined) this.#lag.observe(Math.max(0, startedAt - eventAt) / 1_000);
  }
}
