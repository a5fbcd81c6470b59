import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryDetail,
  type ListDeliveriesQuery,
  type SentEventType,
  SigcastError,
} from '@sigcast/contracts';

/** A worker's claim on a delivery; who holds it may write the outcome, nobody else. It lasts as long as the worker. */
export type Lease = { readonly worker: string; readonly token: string; readonly startedAt: Date };

/**
 * A run of attempts: the first one a delivery begins with, and each later one that was asked for. `from` is how many
 * attempts came before it. `once`: asked for by hand, a single attempt, made also while the subscription is disabled.
 */
export type Round = { readonly from: number; readonly once: boolean };

/** The round a delivery begins with. */
export const firstRound: Round = { from: 0, once: false };

/** One event on its way to one subscription. */
export type DeliveryRecord = {
  readonly id: string;
  readonly account: string;
  readonly subscription: string;
  readonly eventId: string;
  readonly event: SentEventType;
  readonly signalId: string | null;
  readonly status: Delivery['status'];
  /** Attempts that came to an outcome; one that a crash interrupted does not count. */
  readonly attemptCount: number;
  readonly attempts: readonly DeliveryAttempt[];
  readonly round: Round;
  readonly nextAttemptAt: Date | null;
  /** How much there is to suspect it of killing its worker: attempts in a row that ended with a death, see below. */
  readonly crashes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/**
 * A worker that dies takes all its attempts along, innocent ones among them. So its death makes suspects, never
 * culprits: deliveries that were under way at this many deaths in a row are from then on attempted one at a time.
 */
export const suspectCrashes = 2;

/** A suspect that was under way at three more deaths in a row is put aside: it has this many crashes. */
export const quarantineCrashes = suspectCrashes + 3;

/** What becomes of a delivery after an attempt. */
export type NextStep =
  | { readonly status: 'delivered' | 'failed' }
  | { readonly status: 'pending'; readonly step: number };

/**
 * Success ends it; failure leads to the round's next retry while there is one. `attemptCount` includes this attempt.
 */
export function nextStep(
  succeeded: boolean,
  attemptCount: number,
  retries: number,
  { from, once }: Round = firstRound,
): NextStep {
  if (succeeded) return { status: 'delivered' };
  const inRound = attemptCount - from;
  if (once || inRound > retries) return { status: 'failed' };
  return { status: 'pending', step: inRound - 1 };
}

function summaryOf(attempt: DeliveryAttempt | undefined): NonNullable<Delivery['last_attempt']> | null {
  if (attempt === undefined) return null;
  const { started_at, outcome, http_status, error } = attempt;
  return { started_at, outcome, http_status, error };
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
    last_attempt: summaryOf(record.attempts.at(-1)),
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  };
}

/** The delivery with what is sent and its attempts. */
export function toDeliveryDetail(record: DeliveryRecord, body: string | null): DeliveryDetail {
  return { ...toDelivery(record), body, attempts: [...record.attempts] };
}

/** A delivery as the log has it, with the bytes that it sends. */
export async function detailOf(record: DeliveryRecord, log: DeliveryLog): Promise<DeliveryDetail> {
  return toDeliveryDetail(record, (await log.bodyOf(record)) ?? null);
}

/** A page of deliveries by number, or what follows a position. */
export type DeliveryQuery = Pick<
  ListDeliveriesQuery,
  'status' | 'event' | 'http_status' | 'signal_id' | 'since' | 'limit'
> & {
  readonly after: DeliveryPosition | { readonly page: number };
};

/** Where in the log, newest first, a reader stands. */
export type DeliveryPosition = { readonly at: Date; readonly id: string };

/** A subscription's deliveries as its account reads and acts on them. */
export type DeliveryLog = {
  /** `total` counts to `maxPagedRows`: that means as many or more. */
  list(
    subscription: string,
    query: DeliveryQuery,
  ): Promise<{ total: number; items: DeliveryRecord[]; more: boolean }>;
  find(subscription: string, id: string): Promise<DeliveryRecord | undefined>;
  /** What a delivery sends; undefined when it is no longer kept. */
  bodyOf(record: DeliveryRecord): Promise<string | undefined>;
  /** Makes a delivery that waits for its next attempt due at once; undefined when it no longer stands as in `record`. */
  hasten(record: DeliveryRecord, round: Round): Promise<DeliveryRecord | undefined>;
  /**
   * Makes a delivery that has ended due for another round. `pending` when it has not ended, or no longer stands as
   * in `record`; `event-gone` when what it would send is no longer kept.
   */
  again(record: DeliveryRecord, round: Round): Promise<DeliveryRecord | 'pending' | 'event-gone'>;
  /** Opens the delivery of an event of this subscription alone, for a single attempt. */
  openTest(
    subscription: { readonly id: string; readonly account: string; readonly ordered: boolean },
    event: { readonly id: string; readonly body: string; readonly at: Date },
  ): Promise<DeliveryRecord>;
};

/** What a retry by hand needs to know. `disabled`: the subscription is. */
export type RetryDeps = { readonly log: DeliveryLog; readonly disabled: boolean; readonly now: () => number };

/**
 * Attempts a delivery once more, by hand. One that waits for its next attempt is attempted now, and has all its retries
 * after that still.
 * @throws {SigcastError} CONFLICT when an attempt is due or under way, when it waits because its subscription is disabled,
 * and when its event is gone.
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
    const hastened = waits ? await log.hasten(record, hastenedRound(record)) : undefined;
    if (!hastened) throw new SigcastError('CONFLICT', 'An attempt of this delivery is due or under way');
    return hastened;
  }
  const again = await log.again(record, { from: record.attemptCount, once: true });
  if (again === 'pending') {
    throw new SigcastError('CONFLICT', 'An attempt of this delivery is due or under way');
  }
  if (again === 'event-gone')
    throw new SigcastError('CONFLICT', 'The event of this delivery is no longer kept');
  return again;
}

/** The round with an attempt more in it: what is asked for by hand costs no retry. */
function hastenedRound({ round, attemptCount }: DeliveryRecord): Round {
  return attemptCount > round.from ? { ...round, from: round.from + 1 } : round;
}
