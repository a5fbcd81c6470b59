import type { DeliveryAttempt, SignalType, WebhookEventType } from '@sigcast/contracts';
import type { IndexSpec } from '@sigcast/mongo';
import { type Connection, type Model, Schema } from 'mongoose';
import type { DeliveryRecord } from '../domain/delivery.ts';
import type { Idempotency, Subscription } from '../domain/subscription.ts';

/** How long the log and the events are kept, in seconds. */
const keptS = 30 * 86_400;

export type SubscriptionDocument = {
  _id: string;
  account: string;
  /** 0 to 19, each once per account: the unique index on it is what bounds an account's subscriptions. */
  slot: number;
  url: string;
  events: WebhookEventType[];
  types: SignalType[];
  status: 'enabled' | 'disabled';
  description: string | null;
  secret: string;
  created_at: Date;
  updated_at: Date;
  idempotency?: Idempotency;
};

export type EventDocument = { _id: string; type: string; body: string; occurred_at: Date; created_at: Date };

export type DeliveryDocument = {
  _id: string;
  account: string;
  subscription: string;
  event_id: string;
  event: string;
  signal_id: string | null;
  status: DeliveryRecord['status'];
  attempt_count: number;
  attempts: DeliveryAttempt[];
  next_attempt_at: Date | null;
  lease: { token: string; started_at: Date; until: Date } | null;
  crashes: number;
  /** When the sweeper looks at it, unless something happens before; absent once the delivery has ended. */
  sweep_at?: Date;
  created_at: Date;
  updated_at: Date;
};

export const indexNames = {
  matching: 'matching',
  sweep: 'sweep',
  due: 'due_of_subscription',
  log: 'log',
} as const;

export const subscriptionIndexes: readonly IndexSpec[] = [
  { name: 'account_slot', key: { account: 1, slot: 1 }, unique: true },
  {
    name: 'account_idempotency_key',
    key: { account: 1, 'idempotency.key': 1 },
    unique: true,
    partialFilterExpression: { 'idempotency.key': { $exists: true } },
  },
  { name: indexNames.matching, key: { status: 1, events: 1 } },
];

export const eventIndexes: readonly IndexSpec[] = [
  { name: 'kept', key: { created_at: 1 }, expireAfterSeconds: keptS },
];

export const deliveryIndexes: readonly IndexSpec[] = [
  { name: 'kept', key: { created_at: 1 }, expireAfterSeconds: keptS },
  // Holds only deliveries that have not ended.
  { name: indexNames.sweep, key: { sweep_at: 1 }, partialFilterExpression: { sweep_at: { $exists: true } } },
  { name: indexNames.due, key: { subscription: 1, status: 1, next_attempt_at: 1 } },
  { name: indexNames.log, key: { subscription: 1, created_at: -1, _id: -1 } },
];

const options = { versionKey: false, minimize: false, strict: 'throw' } as const;

const subscriptionSchema = new Schema<SubscriptionDocument>(
  {
    _id: { type: String, required: true },
    account: { type: String, required: true },
    slot: { type: Number, required: true },
    url: { type: String, required: true },
    events: { type: [String], required: true },
    types: { type: [String], required: true },
    status: { type: String, required: true },
    description: { type: String, default: null },
    secret: { type: String, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    idempotency: { type: { _id: false, key: String, hash: String, at: Date }, required: false },
  },
  { ...options, collection: 'subscriptions' },
);

const eventSchema = new Schema<EventDocument>(
  {
    _id: { type: String, required: true },
    type: { type: String, required: true },
    body: { type: String, required: true },
    occurred_at: { type: Date, required: true },
    created_at: { type: Date, required: true },
  },
  { ...options, collection: 'events' },
);

const deliverySchema = new Schema<DeliveryDocument>(
  {
    _id: { type: String, required: true },
    account: { type: String, required: true },
    subscription: { type: String, required: true },
    event_id: { type: String, required: true },
    event: { type: String, required: true },
    signal_id: { type: String, default: null },
    status: { type: String, required: true },
    attempt_count: { type: Number, required: true },
    attempts: { type: Schema.Types.Mixed, required: true },
    next_attempt_at: { type: Date, default: null },
    lease: { type: Schema.Types.Mixed, default: null },
    crashes: { type: Number, required: true },
    sweep_at: Date,
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { ...options, collection: 'deliveries' },
);

/** The service's three collections on a connection. */
export type Models = {
  readonly subscriptions: Model<SubscriptionDocument>;
  readonly events: Model<EventDocument>;
  readonly deliveries: Model<DeliveryDocument>;
};

export function models(connection: Connection): Models {
  return {
    subscriptions: connection.model<SubscriptionDocument>('Subscription', subscriptionSchema),
    events: connection.model<EventDocument>('Event', eventSchema),
    deliveries: connection.model<DeliveryDocument>('Delivery', deliverySchema),
  };
}

export function toSubscription(document: SubscriptionDocument): Subscription {
  return {
    id: document._id,
    account: document.account,
    url: document.url,
    events: document.events,
    types: document.types,
    status: document.status,
    description: document.description,
    secret: document.secret,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
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
    nextAttemptAt: document.next_attempt_at,
    crashes: document.crashes,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}
