import { type Delivery, type DeliveryAttempt, recentAttempts, type WebhookHealth } from '@sigcast/contracts';

type Summary = NonNullable<Delivery['last_attempt']>;

/** The attempts of one delivery, with the fields that health is computed from. */
export type AttemptedDelivery = { readonly id: string; readonly attempts: readonly Summary[] };

/** A subscription's figures from the delivery log. */
type HealthFigures = {
  readonly since: Date;
  /** Deliveries made since then, and how many of them have failed or not ended. */
  readonly made: number;
  readonly madeFailed: number;
  readonly madePending: number;
  readonly pending: number;
  readonly retrying: number;
  readonly failed: number;
  /** The newest deliveries that were attempted, at most {@link recentAttempts}. */
  readonly newest: readonly AttemptedDelivery[];
  /** The newest deliveries that failed or are retried. */
  readonly troubled: readonly AttemptedDelivery[];
};

export type HealthLog = { figures(subscription: string): Promise<HealthFigures> };

/** A subscription's health as its account sees it. */
export function toWebhookHealth(figures: HealthFigures): WebhookHealth {
  const { since, made, madeFailed, madePending, pending, retrying, failed } = figures;
  // The counts are read one after another, so a delivery that ends in between must not make the result negative.
  const delivered = Math.max(0, made - madeFailed - madePending);
  const attempts = figures.newest
    .flatMap((delivery) => delivery.attempts)
    .filter(({ outcome }) => outcome !== 'interrupted')
    .sort(byStart)
    .slice(0, recentAttempts);
  const succeeded = attempts.filter(({ outcome }) => outcome === 'succeeded').length;
  return {
    last_24_hours: {
      since: since.toISOString(),
      delivered,
      failed: madeFailed,
      success_rate: percent(delivered, delivered + madeFailed),
    },
    last_attempts: {
      attempts: attempts.length,
      succeeded,
      success_rate: percent(succeeded, attempts.length),
      results: attempts,
    },
    last_error: lastError([...figures.newest, ...figures.troubled]),
    waiting: Math.max(0, pending - retrying),
    retrying,
    failed,
  };
}

function lastError(deliveries: readonly AttemptedDelivery[]): WebhookHealth['last_error'] {
  const [newest] = deliveries
    .flatMap(({ id, attempts }) =>
      attempts.map(({ duration_ms: _, ...attempt }) => ({ delivery_id: id, ...attempt })),
    )
    .filter(({ outcome }) => outcome !== 'succeeded' && outcome !== 'interrupted')
    .sort(byStart);
  return newest ?? null;
}

/** Sorts the newest attempt first. */
function byStart(a: Pick<DeliveryAttempt, 'started_at'>, b: Pick<DeliveryAttempt, 'started_at'>): number {
  return a.started_at < b.started_at ? 1 : -1;
}

function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 100;
}
