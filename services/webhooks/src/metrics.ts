import { addGauges, type GaugeValues } from '@sigcast/http';
import { queueGauges } from '@sigcast/messaging';
import { timeOfId } from '@sigcast/runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { AttemptResult, ClaimedDelivery } from './domain/attempt-ports.ts';

/** The state that the worker reads when its metrics are scraped. Each read costs little, however many deliveries wait. */
export type WorkerState = {
  /** The values of `queueGauges`. */
  queueDepths(): Promise<readonly GaugeValues[]>;
  /** Pending deliveries. */
  pending(): Promise<number>;
  /** Due deliveries that no worker attempts. */
  due(): Promise<number>;
  /** Since when the oldest delivery that a worker should attempt has been due, in Unix milliseconds. */
  oldestDueAt(): Promise<number | undefined>;
  /** Subscriptions by status. */
  subscriptions(): Promise<Readonly<Record<string, number>>>;
  /** This process's attempts under way, active lanes, and lanes with open circuits. */
  lanes(): Readonly<Record<'attempts' | 'lanes' | 'circuitsOpen', number>>;
};

const lagBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800];

/** The worker's metrics. Each label has few values: never a subscription or an account. */
export class WorkerMetrics {
  readonly #attempts: Counter<'outcome'>;
  readonly #duration: Histogram;
  readonly #lag: Histogram;

  constructor(registry: Registry, state: WorkerState, now: () => number) {
    const registers = [registry];
    this.#attempts = new Counter({
      name: 'sigcast_webhooks_attempts_total',
      help: 'Attempts at deliveries that came to an outcome.',
      labelNames: ['outcome'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'sigcast_webhooks_attempt_duration_seconds',
      help: 'From the begin of name resolution to the end of the answer, or to the timeout.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    });
    this.#lag = new Histogram({
      name: 'sigcast_webhooks_first_attempt_lag_seconds',
      help: 'From an event to the begin of the first attempt to deliver it.',
      buckets: lagBuckets,
      registers,
    });
    const laneGauge = (name: string, help: string, what: keyof ReturnType<WorkerState['lanes']>) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(state.lanes()[what]);
        },
      });
    laneGauge('sigcast_webhooks_attempts_in_flight', 'Attempts under way in this process.', 'attempts');
    laneGauge('sigcast_webhooks_lanes_in_hand', 'Subscriptions that this process works on.', 'lanes');
    laneGauge(
      'sigcast_webhooks_circuits_open',
      'Endpoints that get one probe at a time from this process: they only time out, or are unproven and fail.',
      'circuitsOpen',
    );
    addGauges(registry, queueGauges, () => state.queueDepths());
    addGauges(
      registry,
      [{ name: 'sigcast_webhooks_subscriptions', help: 'Subscriptions.', label: 'status' }],
      async () => [await state.subscriptions()],
    );
    // Three separate reads: where much is due, the count may time out, and alerts need the age.
    const single = (name: string, help: string, read: () => Promise<number>) =>
      addGauges(registry, [{ name, help }], async () => [await read()]);
    single(
      'sigcast_webhooks_deliveries_pending',
      'Deliveries that have not ended, of all workers; 20000 stands for more, too.',
      () => state.pending(),
    );
    single(
      'sigcast_webhooks_deliveries_due',
      'Deliveries that are due and that nobody attempts, of all workers; 20000 stands for more, too.',
      () => state.due(),
    );
    single(
      'sigcast_webhooks_oldest_due_age_seconds',
      'Age of the oldest due delivery that no worker attempts although its endpoint has room, 0 for none.',
      async () => {
        const oldest = await state.oldestDueAt();
        return oldest === undefined ? 0 : Math.max(0, now() - oldest) / 1_000;
      },
    );
  }

  /** An attempt of a delivery and of those of its batch. */
  attempt(
    claimed: ClaimedDelivery,
    { outcome }: AttemptResult,
    [startedAt, tookMs]: readonly [number, number],
  ): void {
    const deliveries = [claimed, ...(claimed.batch?.others ?? [])].map((one) => one.delivery);
    this.#attempts.inc({ outcome }, deliveries.length);
    this.#duration.observe(tookMs / 1_000);
    for (const delivery of deliveries) {
      const eventAt = delivery.attempts.length === 0 ? timeOfId(delivery.eventId) : undefined;
      // The clocks of two machines may differ: a negative lag counts as 0.
      if (eventAt !== undefined) this.#lag.observe(Math.max(0, startedAt - eventAt) / 1_000);
    }
  }
}
