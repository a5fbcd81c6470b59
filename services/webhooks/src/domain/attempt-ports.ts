import type { DeliveryAttempt } from '@sigcast/contracts';
import type { DeliveryRecord, KeptBatch, Lease } from './delivery.ts';
import type { Chat } from './destination.ts';

/** Since when all deliveries of a subscription have failed, and whether its account was notified of that. */
export type FailureStreak = { readonly since: Date; readonly notified: boolean };

/** How deliveries of an ordered subscription are put together, several in one request. */
export type BatchTerms = {
  /** The most events in a request. */
  readonly max: number;
  /** How long an event waits for others, in milliseconds. */
  readonly waitMs: number;
  /** How long after the begin of an attempt the next one at the address may begin, in milliseconds; at once unless given. */
  readonly everyMs?: number | undefined;
};

/** A subscription's address and how deliveries are made to it. */
export type Address = {
  readonly account: string;
  readonly url: string;
  /** Whether it has answered with success before. */
  readonly proven: boolean;
  /** Whether deliveries are made one at a time, in the feed's order. */
  readonly ordered: boolean;
  /** How its events are put together; undefined where each has a request of its own. */
  readonly batch?: BatchTerms | undefined;
};

/** A subscription as a delivery needs it. */
export type Recipient = Address & {
  readonly id: string;
  /** Whether its account is suspended: its deliveries wait. */
  readonly suspended: boolean;
};

/** What an attempt needs of an event. */
export type EventContents = {
  readonly body: string;
  /** The trace context of its fan-out (W3C Trace Context); undefined outside of a trace. */
  readonly traceparent?: string | undefined;
  /** Whether it belongs to an import. */
  readonly imported?: boolean | undefined;
};

/** A delivery that this worker has claimed, with everything that an attempt needs. */
export type ClaimedDelivery = EventContents & {
  readonly delivery: DeliveryRecord;
  readonly lease: Lease;
  readonly chat: Chat | null;
  /** The address; of a chat, with its token masked: the whole address is in `secrets`. */
  readonly url: string;
  /** Whether the address had answered with success at the time of the claim. */
  readonly proven: boolean;
  /** The secrets that sign the attempt, sealed, the current one first; of a chat, its address. */
  readonly secrets: readonly string[];
  /** As stored at the time of the claim; null when a delivery succeeded last. */
  readonly failing: FailureStreak | null;
  /** What is sent together with it; undefined where it has a request of its own. */
  readonly batch?: ClaimedBatch | undefined;
};

/** The events of one request, the delivery that has claimed them being the first. */
export type ClaimedBatch = {
  /** The `webhook-id` of each attempt. */
  readonly id: string;
  /** All its events in their order, also those whose deliveries have ended, so that each attempt has the same bytes. */
  readonly events: readonly { readonly id: string; readonly body: string }[];
  /** Its other deliveries that have not ended, in their order. */
  readonly others: readonly ClaimedDelivery[];
};

/** The outcome of an attempt. */
export type AttemptResult = Omit<DeliveryAttempt, 'number' | 'started_at' | 'duration_ms'>;

/** The outcome of an attempt, and what the delivery log does not keep of it. */
export type SendResult = AttemptResult & {
  /** How long the receiver asks to wait before a retry (`Retry-After`), at most an hour; absent when it does not ask. */
  readonly retryAfterMs?: number;
  /** Whether the receiver asks for no more requests, so that the subscription is disabled. */
  readonly gone?: boolean;
};

/** A pending delivery without a lease. */
export type PendingDelivery = {
  readonly id: string;
  readonly dueAt: Date;
  readonly crashes: number;
  /**
   * The sequence number of its event in the feed, 0 for an event outside of the feed (a test or a notice). Absent when the
   * subscription was not ordered at the time the delivery was made.
   */
  readonly sequence?: number | undefined;
  /** The batch that it was the first of at an earlier attempt. */
  readonly batch?: KeptBatch | undefined;
  /** The whole delivery and its event, where it was made just now. */
  readonly made?: { readonly record: DeliveryRecord; readonly event: EventContents } | undefined;
};

/** A delivery that was just made. `pending` is absent where it may have existed before. */
export type OpenedDelivery = {
  readonly recipient: Recipient;
  readonly pending?: PendingDelivery | undefined;
};

/** A pending delivery of an event in the feed. `leased`: a worker attempts it. */
export type PendingInFeed = PendingDelivery & { readonly sequence: number; readonly leased: boolean };

/** Where deliveries are queried and claimed, and outcomes are written. */
export type AttemptStore = {
  /** The oldest pending deliveries without a lease. `since`: only those requested by hand since then, of a disabled subscription. */
  oldestPending(
    subscription: string,
    options: { readonly limit: number; readonly since: Date | undefined },
  ): Promise<readonly PendingDelivery[]>;
  /** Pending deliveries without a lease whose events are outside of the feed, of an ordered subscription, the oldest first. */
  pendingOutsideFeed(subscription: string, limit: number): Promise<readonly PendingDelivery[]>;
  /** Pending deliveries of events in the feed, by sequence number, with and without a lease. */
  pendingInFeed(subscription: string, limit: number): Promise<readonly PendingInFeed[]>;
  /** A sequence number of the feed up to which the deliveries of all events are made. */
  fanOutWatermark(): Promise<number>;
  /**
   * Claims a delivery that is due. `deferred`: its subscription is disabled, its account is suspended, or the caller takes an
   * unproven address for proven. Undefined: it is not due, another worker has it, or its subscription or event is deleted.
   */
  claim(
    delivery: Pick<PendingDelivery, 'id' | 'made'>,
    address: { readonly proven: boolean },
  ): Promise<ClaimedDelivery | 'deferred' | undefined>;
  /**
   * Claims the first of these deliveries, and those behind it that are due and at the same attempt of their cycles, as one batch, which
   * is kept with the first until that has ended: later attempts have the same events. Otherwise as `claim`.
   */
  claimBatch(
    deliveries: readonly Pick<PendingDelivery, 'id' | 'batch'>[],
    address: { readonly proven: boolean },
  ): Promise<ClaimedDelivery | 'deferred' | undefined>;
  /** Writes attempt, status and next time in one update. Returns false, and writes nothing, when the lease was lost. */
  complete(
    claimed: ClaimedDelivery,
    outcome: { attempt: DeliveryAttempt; status: DeliveryRecord['status']; nextAttemptAt: Date | null },
  ): Promise<boolean>;
};

/** When each subscription has something due. */
export type LaneStore = {
  /**
   * Postpones the due lanes of the accounts that `owns` accepts until an instant, and returns them, the longest due first.
   * Lanes of suspended accounts are deferred instead. `nextDueAt`: when the next of these accounts' lanes is due, if that
   * is within `aheadMs`.
   */
  postponeDue(
    owns: (account: string) => boolean,
    options: { readonly until: Date; readonly limit: number; readonly aheadMs: number },
  ): Promise<{ readonly postponed: readonly DueLane[]; readonly nextDueAt: Date | undefined }>;
  /** Sets a lane's next due time where the stored one is `expected`; otherwise the earlier one of the two stays. */
  release(subscription: string, expected: Date, dueAt: Date): Promise<void>;
  /** Marks lanes as due at an instant, at once unless given, where they are not due earlier. */
  markDue(subscriptions: readonly string[], at?: Date): Promise<void>;
  /** Stores that an address has answered with success, if the subscription still has this address. */
  prove(subscription: string, url: string): Promise<void>;
};

/** A lane that was due. */
export type DueLane = Address & { readonly id: string; readonly disabledAt: Date | undefined };
