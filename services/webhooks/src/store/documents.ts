import type {
  AccountStatus,
  DeliveryAttempt,
  SentEventType,
  SignalType,
  SubscribableEvent,
  WebhookStateEvent,
} from '@sigcast/contracts';
import type { Failing } from '../domain/attempting.ts';
import { type DeliveryRecord, firstRound, type Round } from '../domain/delivery.ts';
import type { RecoveryState } from '../domain/recovery.ts';
import type { RetiredSecret } from '../domain/signing-secrets.ts';
import type { Idempotency, Subscription } from '../domain/subscription.ts';

export type SubscriptionDocument = {
  _id: string;
  account: string;
  /** 0 to 19, each once per account: the unique index on it is what bounds an account's subscriptions. */
  slot: number;
  url: string;
  /** False until the address has answered with success; absent where a version made it that did not ask. */
  proven?: boolean;
  events: SubscribableEvent[];
  types: SignalType[];
  /** Absent: false. */
  ordered?: boolean;
  status: 'enabled' | 'disabled';
  /** Beside status `disabled`. */
  disabled?: Subscription['disabled'];
  description: string | null;
  secret: string;
  retired_secrets?: RetiredSecret[];
  /** Since when deliveries end as failed, as far as noted. */
  failing_since?: Date | null;
  /** The `failing_since` that is told of, or was. */
  failing_told?: Date;
  /** What its account's other subscriptions are yet to be told of it; absent while that is nothing. */
  notices?: NoticeDocument[];
  notices_since?: Date;
  tested_at?: Date;
  recovery?: RecoveryDocument;
  /** How its account stands, as far as attempts need it; absent while nothing was said of the account. */
  account_state?: { rev: number; suspended: boolean };
  /** When a worker looks at what it has due, at the latest; in the future also while a worker has it in hand. */
  due_at: Date;
  created_at: Date;
  updated_at: Date;
  idempotency?: Idempotency;
};

/** An event about a subscription that is yet to get its deliveries. */
export type NoticeDocument = {
  id: string;
  event: WebhookStateEvent;
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
  /** Whose turn it is; both absent once it is complete. */
  token?: string;
  lease_until?: Date;
};

export type EventDocument = {
  _id: string;
  /** Its place in the feed; absent on what is not in the feed. */
  seq?: number;
  type: string;
  /** The signal it is about. Absent in what earlier versions stored. */
  signal_id?: string;
  /** The type of the signal it is about; there whenever `seq` is. */
  signal_type?: SignalType;
  body: string;
  occurred_at: Date;
  created_at: Date;
  /** Where in which trace it was fanned out; absent in none. */
  traceparent?: string;
  /** It is one of an import's many: of its attempts less is told. Absent: false. */
  imported?: boolean;
  /** All its deliveries are made: coming again, it makes none. */
  fanned_out?: boolean;
};

/** What a delivery's log keeps of its attempts, for those who look at one delivery alone. */
export const attemptContents = {
  'attempts.request': 0,
  'attempts.response_headers': 0,
  'attempts.response_body': 0,
} as const;

/** What is known of the feed as a whole: the highest place that was given, or one not far below it. */
export type FeedDocument = { _id: 'last'; seq: number };

export type DeliveryDocument = {
  _id: string;
  account: string;
  subscription: string;
  event_id: string;
  event: SentEventType;
  signal_id: string | null;
  /** Its event's place in the feed, 0 of what has none; absent unless its subscription was ordered when it was made. */
  place?: number;
  /** What is sent, where the event is this subscription's alone; otherwise it is with the event. */
  body?: string;
  status: DeliveryRecord['status'];
  attempt_count: number;
  attempts: DeliveryAttempt[];
  /** What the last attempt was answered with, if that failed; 0: not at all. Absent otherwise, and in what earlier versions attempted. */
  failure_status?: number;
  /** The round it is in; absent in the first. */
  round?: Round;
  next_attempt_at: Date | null;
  /** Whose attempt it is that is under way. */
  lease: LeaseDocument | null;
  crashes: number;
  created_at: Date;
  updated_at: Date;
};

/** `token` is each claim's own. */
export type LeaseDocument = { worker: string; token: string; started_at: Date };

/** What the gateway last said of an account, of those that it ever said anything of. */
export type AccountStateDocument = { _id: string; rev: number; status: AccountStatus };

/** A worker that lives until then, by the store's clock, unless it is heard of again. */
export type WorkerDocument = { _id: string; until: Date; seen_at: Date; leaving?: boolean };

/** A subscription that was about to be deleted then. */
export type DeletedSubscriptionDocument = { _id: string; at: Date };

/** What is noted of a subscription's failing. */
export function failingOf(
  noted: Pick<SubscriptionDocument, 'failing_since' | 'failing_told'>,
): Failing | null {
  const { failing_since: since, failing_told: told } = noted;
  return since ? { since, told: told?.getTime() === since.getTime() } : null;
}

/** Whether a subscription's address has answered with success, or was in use before that was asked for. */
export function isProven({ proven }: { readonly proven?: boolean | undefined }): boolean {
  return proven !== false;
}

export function toSubscription(document: SubscriptionDocument): Subscription {
  return {
    id: document._id,
    account: document.account,
    url: document.url,
    proven: isProven(document),
    failingSince: document.failing_since ?? null,
    events: document.events,
    types: document.types,
    ordered: document.ordered ?? false,
    disabled: document.disabled ?? null,
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
    status: document.status,
    attemptCount: document.attempt_count,
    attempts: document.attempts,
    round: document.round ?? firstRound,
    nextAttemptAt: document.next_attempt_at,
    crashes: document.crashes,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}
