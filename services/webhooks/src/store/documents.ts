import type {
  AccountStatus,
  DeliveryAttempt,
  Filter,
  Idempotency,
  SentEventType,
  SignalType,
  SubscribableEvent,
  WebhookEventType,
  WebhookNoticeType,
} from '@sigcast/contracts';
import type { BatchTerms, FailureStreak } from '../domain/attempt-ports.ts';
import { type AttemptCycle, type DeliveryRecord, firstCycle, type KeptBatch } from '../domain/delivery.ts';
import type { Chat } from '../domain/destination.ts';
import type { RecoveryState } from '../domain/recovery.ts';
import type { RetiredSecret } from '../domain/signing-secrets.ts';
import type { Subscription } from '../domain/subscription.ts';

export type SubscriptionDocument = {
  _id: string;
  account: string;
  /** 0 to 19, each once per account: the unique index on it is what bounds an account's subscriptions. */
  slot: number;
  /** Absent for an address of a program. */
  chat?: Chat;
  url: string;
  /** Whether the address has answered with success. */
  proven: boolean;
  events: SubscribableEvent[];
  types: SignalType[];
  /** Its filter in JSON, because names of a document's fields can't have dots; null for none. */
  filter: string | null;
  ordered: boolean;
  /** How the events of an ordered one are put together; null for not. */
  batch?: Subscription['batch'];
  /** Only `enabled` ones get new deliveries. `pending` where it would be enabled and the account's address is unverified. */
  status: 'enabled' | 'disabled' | 'pending';
  /** Set while the status is `disabled`. */
  disabled?: Subscription['disabled'];
  description: string | null;
  /** Sealed: what signs, or the address of a chat. */
  secret: string;
  retired_secrets?: RetiredSecret[];
  /** When the current streak of failures began. */
  failing_since?: Date | null;
  /** The `failing_since` of the streak that the account was last notified of. */
  failing_told?: Date;
  /** Notices of this subscription that are not passed on yet; absent when there are none. */
  notices?: NoticeDocument[];
  notices_since?: Date;
  tested_at?: Date;
  recovery?: RecoveryDocument;
  /** A copy of the account's state; absent while no state of the account is known. */
  account_state?: AccountStateCopy;
  /** When a worker queries its due deliveries, at the latest; a worker that works on the lane postpones it. */
  due_at: Date;
  created_at: Date;
  updated_at: Date;
  idempotency?: StoredKey;
};

/** The idempotency key that a subscription was made with. `secret`: the secret that it was made with, sealed. */
export type StoredKey = Idempotency & { secret: string };

/**
 * A copy of an account's state. `suspended`: what waits is not delivered, since the account is suspended or unverified. Absent
 * `unverified` means false.
 */
export type AccountStateCopy = {
  rev: number;
  suspended: boolean;
  unverified?: true;
  access_revoked_at?: Date;
};

/** A notice of a subscription that is not passed on yet. */
export type NoticeDocument = {
  id: string;
  event: WebhookNoticeType;
  at: Date;
  failing_since: Date | null;
  disabled_reason: 'failing' | 'gone' | null;
};

export type RecoveryDocument = {
  since: Date;
  requested_at: Date;
  completed_at: Date | null;
  retried: number;
  opened: number;
  failed_done: boolean;
  cursor: string | null;
  /** The lease of the process that works on it; both fields are absent once it is complete. */
  token?: string;
  lease_until?: Date;
};

export type EventDocument = {
  _id: string;
  /** Its sequence number in the feed. */
  sequence: number;
  type: WebhookEventType;
  /** The signal it is about. */
  signal_id: string;
  /** The type of the signal it is about. */
  signal_type: SignalType;
  body: string;
  occurred_at: Date;
  created_at: Date;
  /** The trace context of its fan-out; absent outside of a trace. */
  traceparent?: string;
  /** Whether the event belongs to an import, whose attempts are logged at level debug. Absent: false. */
  imported?: boolean;
  /** Whether all its deliveries are made: a redelivered event makes no more. Absent: false. */
  fanned_out?: boolean;
};

/** Projection that leaves out what only the detail of a delivery shows of its attempts. */
export const attemptContents = {
  'attempts.request': 0,
  'attempts.response_headers': 0,
  'attempts.response_body': 0,
} as const;

/** The last sequence number of the feed, as last saved: the feed may be a little further. */
export type FeedDocument = { _id: 'last'; sequence: number };

export type DeliveryDocument = {
  _id: string;
  account: string;
  subscription: string;
  event_id: string;
  event: SentEventType;
  signal_id: string | null;
  /** The symbol of that signal's token; absent where the event is not about a signal. */
  symbol?: string;
  /**
   * Its event's sequence number in the feed, 0 for an event outside of the feed; absent when its subscription was not ordered
   * at the time it was made.
   */
  sequence?: number;
  /** The body of an event of this subscription alone; the body of other events is stored with the event. */
  body?: string;
  status: DeliveryRecord['status'];
  attempt_count: number;
  attempts: DeliveryAttempt[];
  /** The HTTP status of the last attempt, if it failed; 0: no answer. Absent otherwise. */
  failure_status?: number;
  /** Its attempt cycle; absent in the first. */
  cycle?: AttemptCycle;
  /** The batch that it is the first of; absent before an attempt, once it has ended, and where each event has a request of its own. */
  batch?: KeptBatch;
  next_attempt_at: Date | null;
  /** The lease of the worker that attempts it; null while no worker does. */
  lease: LeaseDocument | null;
  crashes: number;
  created_at: Date;
  updated_at: Date;
};

/** `token`: unique to each claim. */
export type LeaseDocument = { worker: string; token: string; started_at: Date };

/** The last state of an account that the gateway published. */
export type AccountStateDocument = {
  _id: string;
  rev: number;
  status: AccountStatus;
  unverified: boolean;
  /** When the account's access was last revoked; absent for never. */
  access_revoked_at?: Date;
};

/** A worker's lease, which ends at `until` by the store's clock unless it is renewed. */
export type WorkerDocument = { _id: string; until: Date; seen_at: Date; leaving?: boolean };

/**
 * A subscription that was about to be deleted. `at`: the instant; later, once its deliveries are removed, when its idempotency
 * key ends. The other members are those of a subscription that was made with such a key.
 */
export type DeletedSubscriptionDocument = { _id: string; at: Date } & Partial<
  Pick<SubscriptionDocument, 'account' | 'created_at' | 'idempotency'>
>;

/** How the events of a chat are put together: at most one message a second, which its provider bears, and people can read. */
const chatTerms: BatchTerms = { max: 10, waitMs: 0, everyMs: 1_000 };

/** How the events of a subscription are put together; undefined where each has a request of its own. */
export function batchTermsOf({
  ordered,
  batch,
  chat,
}: Pick<SubscriptionDocument, 'ordered' | 'batch' | 'chat'>): BatchTerms | undefined {
  if (chat) return chatTerms;
  return ordered && batch ? { max: batch.max, waitMs: batch.wait_ms } : undefined;
}

/** A subscription's streak of failures, if there is one. */
export function failingOf(
  document: Pick<SubscriptionDocument, 'failing_since' | 'failing_told'>,
): FailureStreak | null {
  const { failing_since: since, failing_told: told } = document;
  return since ? { since, notified: told?.getTime() === since.getTime() } : null;
}

export function toSubscription(document: SubscriptionDocument): Subscription {
  return {
    id: document._id,
    account: document.account,
    chat: document.chat ?? null,
    url: document.url,
    proven: document.proven,
    failingSince: document.failing_since ?? null,
    events: document.events,
    types: document.types,
    filter: document.filter === null ? null : (JSON.parse(document.filter) as Filter),
    ordered: document.ordered,
    batch: document.batch ?? null,
    disabled: document.disabled ?? null,
    unverified: document.account_state?.unverified === true,
    description: document.description,
    secret: document.secret,
    retiredSecrets: document.retired_secrets ?? [],
    recovery: document.recovery ? toRecoveryState(document.recovery) : null,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}

export function toRecoveryState(document: RecoveryDocument): RecoveryState {
  return {
    since: document.since,
    requestedAt: document.requested_at,
    completedAt: document.completed_at,
    retried: document.retried,
    opened: document.opened,
    failedDone: document.failed_done,
    cursor: document.cursor,
  };
}

export function toDeliveryRecord(document: DeliveryDocument): DeliveryRecord {
  return {
    id: document._id,
    account: document.account,
    subscription: document.subscription,
    eventId: document.event_id,
    event: document.event,
    signalId: document.signal_id,
    symbol: document.symbol ?? null,
    status: document.status,
    attemptCount: document.attempt_count,
    attempts: document.attempts,
    cycle: document.cycle ?? firstCycle,
    batch: document.batch,
    nextAttemptAt: document.next_attempt_at,
    crashes: document.crashes,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}
