import type { Delivery, DeliveryAttempt, DeliveryDetail } from '@sigcast/contracts';

/** A worker's claim on a delivery; who holds it may write the outcome, nobody else. */
export type Lease = { readonly token: string; readonly startedAt: Date; readonly until: Date };

/** One event on its way to one subscription. */
export type DeliveryRecord = {
  readonly id: string;
  readonly account: string;
  readonly subscription: string;
  readonly eventId: string;
  readonly event: string;
  readonly signalId: string | null;
  readonly status: Delivery['status'];
  /** Attempts that came to an outcome; one that a crash interrupted does not count. */
  readonly attemptCount: number;
  readonly attempts: readonly DeliveryAttempt[];
  readonly nextAttemptAt: Date | null;
  /** Attempts in a row that ended with their worker's death. */
  readonly crashes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** Longer than an attempt can take, body and outcome included: a lease that has run out belongs to a dead worker. */
export const leaseMs = 15_000;

/** A delivery whose attempts kill their worker this often in a row is put aside. */
export const maxCrashes = 3;

/** What becomes of a delivery after an attempt. */
export type NextStep =
  | { readonly status: 'delivered' | 'failed' }
  | { readonly status: 'pending'; readonly step: number };

/** Success ends it; failure leads to the next retry while there is one. `attemptCount` includes this attempt. */
export function nextStep(succeeded: boolean, attemptCount: number, retries: number): NextStep {
  if (succeeded) return { status: 'delivered' };
  if (attemptCount > retries) return { status: 'failed' };
  return { status: 'pending', step: attemptCount - 1 };
}

/** The delivery as its account sees it. */
export function toDelivery(record: DeliveryRecord): Delivery {
  return {
    id: record.id,
    event_id: record.eventId,
    event: record.event,
    signal_id: record.signalId,
    status: record.status,
    attempt_count: record.attemptCount,
    next_attempt_at: record.nextAttemptAt?.toISOString() ?? null,
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  };
}

/** The delivery with its attempts. */
export function toDeliveryDetail(record: DeliveryRecord): DeliveryDetail {
  return { ...toDelivery(record), attempts: [...record.attempts] };
}

/** What the api reads of deliveries. */
export type DeliveryLog = {
  list(
    subscription: string,
    page: { skip: number; limit: number },
  ): Promise<{ total: number; items: DeliveryRecord[] }>;
  find(subscription: string, id: string): Promise<DeliveryRecord | undefined>;
};
