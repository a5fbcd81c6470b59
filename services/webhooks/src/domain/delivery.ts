import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryDetail,
  type ListDeliveriesQuery,
  type SentEventType,
  SigcastError,
} from '@sigcast/contracts';

/** A worker's claim on a delivery. Only its holder may write the outcome. It lasts as long as the worker lives. */
export type Lease = { readonly worker: string; readonly token: string; readonly startedAt: Date };

/**
 * An attempt and its retries. A delivery begins with its first cycle; each retry by hand and each recovery starts another.
 * `from`: how many attempts came before the cycle. `once`: a single attempt without retries, requested by hand, which is
 * made also while the subscription is disabled. `delivered`: the delivery had been delivered before the cycle, and stays so
 * whatever the cycle brings. Absent: false.
 */
export type AttemptCycle = { readonly from: number; readonly once: boolean; readonly delivered?: boolean };

/** The cycle that a delivery begins with. */
export const firstCycle: AttemptCycle = { from: 0, once: false };

/** Which deliveries are sent in one request, by their ids, beginning with the one that keeps this. */
export type KeptBatch = { readonly id: string; readonly deliveries: readonly string[] };

/** One event on its way to one subscription. */
export type DeliveryRecord = {
  readonly id: string;
  readonly account: string;
  readonly subscription: string;
  readonly eventId: string;
  readonly event: SentEventType;
  readonly signalId: string | null;
  readonly symbol: string | null;
  readonly status: Delivery['status'];
  /** Attempts that had an outcome; an attempt that a crash interrupted does not count. */
  readonly attemptCount: number;
  readonly attempts: readonly DeliveryAttempt[];
  readonly cycle: AttemptCycle;
  /** The batch that it is the first of; absent before its first attempt, and where each event has a request of its own. */
  readonly batch?: KeptBatch | undefined;
  readonly nextAttemptAt: Date | null;
  /** Attempts in a row during which the worker died. See {@link isCrashSuspected}. */
  readonly crashes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/**
 * A delivery is suspected of crashing its worker after this many crashes in a row. A crash interrupts all attempts of a
 * worker, so one crash alone says nothing about a single delivery.
 */
export const crashesToSuspect = 2;

/** A crash-suspected delivery is quarantined, that is failed without another attempt, after this many crashes in a row. */
export const crashesToQuarantine = crashesToSuspect + 3;

/** Whether a delivery is suspected of crashing its worker: such deliveries are attempted one at a time. */
export function isCrashSuspected({ crashes }: { readonly crashes: number }): boolean {
  return crashes >= crashesToSuspect;
}

/** A delivery's status after an attempt. `step`: which retry of its cycle comes next, from 0. */
type NextStep =
  | { readonly status: 'delivered' | 'failed' }
  | { readonly status: 'pending'; readonly step: number };

/**
 * Success ends a delivery. Failure leads to the next retry of its cycle while there is one. `attemptCount` includes this
 * attempt. `retries`: how many retries a cycle has.
 */
export function nextStep({
  succeeded,
  attemptCount,
  retries,
  cycle,
}: {
  readonly succeeded: boolean;
  readonly attemptCount: number;
  readonly retries: number;
  readonly cycle: AttemptCycle;
}): NextStep {
  if (succeeded) return { status: 'delivered' };
  const { from, once } = cycle;
  const inCycle = attemptCount - from;
  if (once || inCycle > retries) return { status: failedStatus(cycle) };
  return { status: 'pending', step: inCycle - 1 };
}

/** The status of a delivery whose cycle has ended without success. */
export function failedStatus({ delivered }: AttemptCycle): 'delivered' | 'failed' {
  return delivered ? 'delivered' : 'failed';
}

function summaryOf(attempt: DeliveryAttempt | undefined): NonNullable<Delivery['last_attempt']> | null {
  if (attempt === undefined) return null;
  const { started_at, outcome, http_status, error, duration_ms } = attempt;
  return { started_at, outcome, http_status, error, duration_ms };
}

/** The delivery as its account sees it. */
export function toDelivery(record: DeliveryRecord): Delivery {
  return {
    id: record.id,
    event_id: record.eventId,
    event: record.event,
    signal_id: record.signalId,
    symbol: record.symbol,
    status: record.status,
    attempt_count: record.attemptCount,
    next_attempt_at: record.nextAttemptAt?.toISOString() ?? null,
    last_attempt: summaryOf(record.attempts.at(-1)),
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  };
}

/** The delivery with its body and its attempts. */
export function toDeliveryDetail(record: DeliveryRecord, body: string | null): DeliveryDetail {
  return { ...toDelivery(record), body, attempts: [...record.attempts] };
}

/** Reads the body of a delivery from the log, and returns the delivery with it. */
export async function detailOf(record: DeliveryRecord, log: DeliveryLog): Promise<DeliveryDetail> {
  return toDeliveryDetail(record, (await log.bodyOf(record)) ?? null);
}

/** Which deliveries are listed. `after`: a page by its number, or the deliveries behind a position. */
export type DeliveryQuery = Pick<
  ListDeliveriesQuery,
  'status' | 'event' | 'http_status' | 'signal_id' | 'since' | 'limit'
> & {
  readonly after: DeliveryPosition | { readonly page: number };
};

/** The last delivery that a reader of the log, newest first, has seen. */
export type DeliveryPosition = { readonly at: Date; readonly id: string };

/** A subscription's deliveries as its account reads and acts on them. */
export type DeliveryLog = {
  /** `total` stops at `maxPagedRows`, which stands for that many or more. */
  list(
    subscription: string,
    query: DeliveryQuery,
  ): Promise<{ total: number; items: DeliveryRecord[]; more: boolean }>;
  find(subscription: string, id: string): Promise<DeliveryRecord | undefined>;
  /** The body that a delivery sends; undefined when its event is no longer kept. */
  bodyOf(record: DeliveryRecord): Promise<string | undefined>;
  /** Makes a delivery that waits for its next attempt due at once; undefined when it has changed since `record` was read. */
  makeDueNow(record: DeliveryRecord, cycle: AttemptCycle): Promise<DeliveryRecord | undefined>;
  /**
   * Makes a delivery that has ended due for another cycle. `pending`: it has not ended, or has changed since `record` was
   * read. `event-gone`: its event is no longer kept.
   */
  restart(record: DeliveryRecord, cycle: AttemptCycle): Promise<DeliveryRecord | 'pending' | 'event-gone'>;
  /** Opens a delivery of a test event to this subscription alone, for a single attempt. */
  openTest(
    subscription: { readonly id: string; readonly account: string; readonly ordered: boolean },
    event: { readonly id: string; readonly body: string; readonly at: Date },
  ): Promise<DeliveryRecord>;
};

/** What a retry by hand needs. `disabled`: whether the subscription is disabled. */
type RetryDeps = { readonly log: DeliveryLog; readonly disabled: boolean; readonly now: () => number };

/**
 * Makes a delivery due for another attempt, by hand. If the delivery waits for its next attempt, that attempt is made now
 * and costs none of its retries.
 * @throws {SigcastError} CONFLICT when an attempt is due or under way, when the delivery waits because its subscription is
 * disabled, and when its event is no longer kept.
 */
export async function retryDelivery(
  record: DeliveryRecord,
  { log, disabled, now }: RetryDeps,
): Promise<DeliveryRecord> {
  if (record.status === 'pending') {
    if (disabled) {
      throw new SigcastError('CONFLICT', 'This webhook is disabled; enable it, and what waits is sent');
    }
    const waits = (record.nextAttemptAt?.getTime() ?? 0) > now();
    const dueNow = waits ? await log.makeDueNow(record, withOneMoreAttempt(record)) : undefined;
    if (!dueNow) throw new SigcastError('CONFLICT', 'An attempt of this delivery is due or under way');
    return dueNow;
  }
  const restarted = await log.restart(record, { from: record.attemptCount, once: true });
  if (restarted === 'pending') {
    throw new SigcastError('CONFLICT', 'An attempt of this delivery is due or under way');
  }
  if (restarted === 'event-gone')
    throw new SigcastError('CONFLICT', 'The event of this delivery is no longer kept');
  return restarted;
}

/** The delivery's cycle with one more attempt in it, so that an attempt by hand costs no retry. */
function withOneMoreAttempt({ cycle, attemptCount }: DeliveryRecord): AttemptCycle {
  return attemptCount > cycle.from ? { ...cycle, from: cycle.from + 1 } : cycle;
}
