import { type Connection, type Model, Schema } from 'mongoose';
import type {
  AccountStateDocument,
  DeletedSubscriptionDocument,
  DeliveryDocument,
  EventDocument,
  FeedDocument,
  SubscriptionDocument,
  WorkerDocument,
} from './documents.ts';

const options = { versionKey: false, minimize: false, strict: 'throw' } as const;

const storedKey = {
  type: { _id: false, key: String, hash: String, at: Date, secret: String },
  required: false,
} as const;

const subscriptionSchema = new Schema<SubscriptionDocument>(
  {
    _id: { type: String, required: true },
    account: { type: String, required: true },
    slot: { type: Number, required: true },
    chat: { type: Schema.Types.Mixed },
    url: { type: String, required: true },
    proven: { type: Boolean, required: true },
    events: { type: [String], required: true },
    types: { type: [String], required: true },
    filter: { type: String, default: null },
    ordered: { type: Boolean, required: true },
    batch: { type: Schema.Types.Mixed },
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
    idempotency: storedKey,
  },
  { ...options, collection: 'subscriptions' },
);

const eventSchema = new Schema<EventDocument>(
  {
    _id: { type: String, required: true },
    sequence: { type: Number, required: true },
    type: { type: String, required: true },
    signal_id: { type: String, required: true },
    signal_type: { type: String, required: true },
    body: { type: String, required: true },
    occurred_at: { type: Date, required: true },
    created_at: { type: Date, required: true },
    traceparent: String,
    imported: Boolean,
    fanned_out: Boolean,
  },
  { ...options, collection: 'events' },
);

const feedSchema = new Schema<FeedDocument>(
  { _id: { type: String, required: true }, sequence: { type: Number, required: true } },
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
    symbol: String,
    sequence: Number,
    body: String,
    status: { type: String, required: true },
    attempt_count: { type: Number, required: true },
    attempts: { type: Schema.Types.Mixed, required: true },
    failure_status: Number,
    cycle: { type: Schema.Types.Mixed },
    batch: { type: Schema.Types.Mixed },
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
    unverified: Boolean,
    access_revoked_at: Date,
  },
  { ...options, collection: 'account_states' },
);

const deletedSubscriptionSchema = new Schema<DeletedSubscriptionDocument>(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    account: String,
    created_at: Date,
    idempotency: storedKey,
  },
  { ...options, collection: 'deleted_subscriptions' },
);

/** The service's collections. */
export type Models = {
  readonly subscriptions: Model<SubscriptionDocument>;
  readonly deletedSubscriptions: Model<DeletedSubscriptionDocument>;
  readonly events: Model<EventDocument>;
  readonly feed: Model<FeedDocument>;
  readonly deliveries: Model<DeliveryDocument>;
  readonly workers: Model<WorkerDocument>;
  readonly accountStates: Model<AccountStateDocument>;
};

/** The service's collections on a connection. */
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

/** Deliveries by the driver alone, without Mongoose's casts, for very frequent commands. */
export function plainDeliveries({ deliveries }: Models) {
  return deliveries.db.collection<DeliveryDocument>(deliveries.collection.name);
}

/** Events by the driver alone, without Mongoose's casts. */
export function plainEvents({ events }: Models) {
  return events.db.collection<EventDocument>(events.collection.name);
}

/** Subscriptions by the driver alone, without Mongoose's casts. */
export function plainSubscriptions({ subscriptions }: Models) {
  return subscriptions.db.collection<SubscriptionDocument>(subscriptions.collection.name);
}
