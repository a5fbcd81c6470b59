import {
  type AccountStatus,
  type DeliveryAttempt,
  eventsKeptDays,
  type SentEventType,
  type SignalType,
  type SubscribableEvent,
  type WebhookStateEvent,
} from '@sigcast/contracts';
import { type IndexSpec, keyExpiryIndex } from '@sigcast/mongo';
import { type Connection, type Model, Schema } from 'mongoose';
import type { Failing } from '../domain/attempting.ts';
import { type DeliveryRecord, firstRound, type Round } from '../domain/delivery.ts';
import type { RecoveryState } from '../domain/recovery.ts';
import type { RetiredSecret } from '../domain/signing-secrets.ts';
import type { Idempotency, Subscription } from '../domain/subscription.ts';

/** How long the log and the events are kept, in seconds. */
const keptS = eventsKeptDays * 86_400;

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
  /** The type of the signal it is about; there whenever `seq` is. */
  signal_type?: SignalType;
  body: string;
  occurred_at: Date;
  created_at: Date;
  /** All its deliveries are made: coming again, it makes none. */
  fanned_out?: boolean;
};

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

export const indexNames = {
  matching: 'matching',
  lanes: 'lanes',
  leased: 'leased',
  due: 'due',
  ordered: 'ordered',
  log: 'log',
  failed: 'failed',
  recovering: 'recovering',
  noticed: 'noticed',
  feed: 'feed',
  kept: 'kept',
} as const;

export const subscriptionIndexes: readonly IndexSpec[] = [
  { name: 'account_slot', key: { account: 1, slot: 1 }, unique: true },
  {
    name: 'account_idempotency_key',
    key: { account: 1, 'idempotency.key': 1 },
    unique: true,
    partialFilterExpression: { 'idempotency.key': { $exists: true } },
  },
  keyExpiryIndex,
  { name: indexNames.matching, key: { status: 1, events: 1 } },
  { name: indexNames.lanes, key: { due_at: 1 } },
  {
    name: indexNames.recovering,
    key: { 'recovery.lease_until': 1 },
    partialFilterExpression: { 'recovery.lease_until': { $exists: true } },
  },
  {
    name: indexNames.noticed,
    key: { notices_since: 1 },
    partialFilterExpression: { notices_since: { $exists: true } },
  },
];

export const eventIndexes: readonly IndexSpec[] = [
  { name: indexNames.kept, key: { created_at: 1 }, expireAfterSeconds: keptS },
  // Unique: it is what gives each place to one event.
  {
    name: indexNames.feed,
    key: { seq: 1 },
    unique: true,
    partialFilterExpression: { seq: { $exists: true } },
  },
];

export const deliveryIndexes: readonly IndexSpec[] = [
  { name: indexNames.kept, key: { created_at: 1 }, expireAfterSeconds: keptS },
  // These two hold only deliveries that have not ended: what ends well leaves them, and enters no other.
  {
    name: indexNames.leased,
    key: { 'lease.worker': 1, 'lease.started_at': 1 },
    partialFilterExpression: { 'lease.worker': { $exists: true } },
  },
  {
    name: indexNames.due,
    key: { subscription: 1, next_attempt_at: 1 },
    partialFilterExpression: { status: 'pending' },
  },
  {
    name: indexNames.ordered,
    key: { subscription: 1, place: 1 },
    partialFilterExpression: { status: 'pending', place: { $exists: true } },
  },
  { name: indexNames.log, key: { subscription: 1, created_at: -1, _id: -1 } },
  {
    name: indexNames.failed,
    key: { subscription: 1, created_at: -1, _id: -1, status: 1 },
    partialFilterExpression: { status: 'failed' },
  },
];

export const deletedSubscriptionIndexes: readonly IndexSpec[] = [{ name: 'oldest', key: { at: 1 } }];

const options = { versionKey: false, minimize: false, strict: 'throw' } as const;

const subscriptionSchema = new Schema<SubscriptionDocument>(
  {
    _id: { type: String, required: true },
    account: { type: String, required: true },
    slot: { type: Number, required: true },
    url: { type: String, required: true },
    proven: Boolean,
    events: { type: [String], required: true },
    types: { type: [String], required: true },
    ordered: Boolean,
    status: { type: String, required: true },
    disabled: { type: Schema.Types.Mixed },
    description: { type: String, default: null },
    secret: { type: String, required: true },
    retired_secrets: { type: Schema.Types.Mixed },
    failing_since: Date,
    failing_told: Date,
    notices: { type: Schema.Types.Mixed },
    notices_since: Date,
    tested_at: Date,
    recovery: { type: Schema.Types.Mixed },
    account_state: { type: Schema.Types.Mixed },
    due_at: { type: Date, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    idempotency: { type: { _id: false, key: String, hash: String, at: Date }, required: false },
  },
  { ...options, collection: 'subscriptions' },
);

const eventSchema = new Schema<EventDocument>(
  {
    _id: { type: String, required: true },
    seq: Number,
    type: { type: String, required: true },
    signal_type: String,
    body: { type: String, required: true },
    occurred_at: { type: Date, required: true },
    created_at: { type: Date, required: true },
    fanned_out: Boolean,
  },
  { ...options, collection: 'events' },
);

const feedSchema = new Schema<FeedDocument>(
  { _id: { type: String, required: true }, seq: { type: Number, required: true } },
  { ...options, collection: 'feed' },
);

const deliverySchema = new Schema<DeliveryDocument>(
  {
    _id: { type: String, required: true },
    account: { type: String, required: true },
    subscription: { type: String, required: true },
    event_id: { type: String, required: true },
    event: { type: String, required: true },
    signal_id: { type: String, default: null },
    place: Number,
    body: String,
    status: { type: String, required: true },
    attempt_count: { type: Number, required: true },
    attempts: { type: Schema.Types.Mixed, required: true },
    round: { type: Schema.Types.Mixed },
    next_attempt_at: { type: Date, default: null },
    lease: { type: Schema.Types.Mixed, default: null },
    crashes: { type: Number, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { ...options, collection: 'deliveries' },
);

const workerSchema = new Schema<WorkerDocument>(
  {
    _id: { type: String, required: true },
    until: { type: Date, required: true },
    seen_at: { type: Date, required: true },
    leaving: Boolean,
  },
  { ...options, collection: 'workers' },
);

const accountStateSchema = new Schema<AccountStateDocument>(
  {
    _id: { type: String, required: true },
    rev: { type: Number, required: true },
    status: { type: String, required: true },
  },
  { ...options, collection: 'account_states' },
);

const deletedSubscriptionSchema = new Schema<DeletedSubscriptionDocument>(
  { _id: { type: String, required: true }, at: { type: Date, required: true } },
  { ...options, collection: 'deleted_subscriptions' },
);

/** The service's collections on a connection. */
export type Models = {
  readonly subscriptions: Model<SubscriptionDocument>;
  readonly deletedSubscriptions: Model<DeletedSubscriptionDocument>;
  readonly events: Model<EventDocument>;
  readonly feed: Model<FeedDocument>;
  readonly deliveries: Model<DeliveryDocument>;
  readonly workers: Model<WorkerDocument>;
  readonly accountStates: Model<AccountStateDocument>;
};

export function models(connection: Connection): Models {
  return {
    subscriptions: connection.model<SubscriptionDocument>('Subscription', subscriptionSchema),
    deletedSubscriptions: connection.model<DeletedSubscriptionDocument>(
      'DeletedSubscription',
      deletedSubscriptionSchema,
    ),
    events: connection.model<EventDocument>('Event', eventSchema),
    feed: connection.model<FeedDocument>('Feed', feedSchema),
    deliveries: connection.model<DeliveryDocument>('Delivery', deliverySchema),
    workers: connection.model<WorkerDocument>('Worker', workerSchema),
    accountStates: connection.model<AccountStateDocument>('AccountState', accountStateSchema),
  };
}

/** Deliveries as the driver writes them, with nothing cast: for what is written very often, and from here. */
export function plainDeliveries({ deliveries }: Models) {
  return deliveries.db.collection<DeliveryDocument>(deliveries.collection.name);
}

/** Subscriptions as the driver writes them, with nothing cast. */
export function plainSubscriptions({ subscriptions }: Models) {
  return subscriptions.db.collection<SubscriptionDocument>(subscriptions.collection.name);
}

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
