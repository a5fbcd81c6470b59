import { eventsKeptDays } from '@sigcast/contracts';
import { type IndexSpec, keyExpiryIndex } from '@sigcast/mongo';

/** How long deliveries and events are kept, in seconds. */
const retentionS = eventsKeptDays * 86_400;

/** Earlier than any stored instant: `$gt: longAgo` matches instants, and not null. */
export const longAgo = new Date(0);

export const indexNames = {
  matching: 'matching',
  lanes: 'lanes',
  leased: 'leased',
  due: 'due',
  ordered: 'ordered',
  log: 'log',
  ofEvent: 'of_event',
  failed: 'failed',
  retrying: 'retrying',
  answered: 'answered',
  signal: 'signal',
  recovering: 'recovering',
  noticed: 'noticed',
  failing: 'failing',
  disabled: 'disabled',
  feed: 'feed',
  kept: 'kept',
} as const;

const byKey: IndexSpec = {
  name: 'account_idempotency_key',
  key: { account: 1, 'idempotency.key': 1 },
  partialFilterExpression: { 'idempotency.key': { $exists: true } },
};

export const subscriptionIndexes: readonly IndexSpec[] = [
  { name: 'account_slot', key: { account: 1, slot: 1 }, unique: true },
  { ...byKey, unique: true },
  keyExpiryIndex,
  { name: indexNames.matching, key: { status: 1, events: 1, _id: 1 } },
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
  {
    name: indexNames.failing,
    key: { failing_since: 1, 'account_state.suspended': 1 },
    partialFilterExpression: { status: 'enabled', failing_since: { $gt: longAgo } },
  },
  {
    name: indexNames.disabled,
    // The reason comes first, because the index has the subscriptions that their owners paused as well.
    key: { 'disabled.reason': 1, 'disabled.at': -1 },
    partialFilterExpression: { 'disabled.at': { $gt: longAgo } },
  },
];

export const eventIndexes: readonly IndexSpec[] = [
  { name: indexNames.kept, key: { created_at: 1 }, expireAfterSeconds: retentionS },
  // The unique index gives each sequence number to one event.
  {
    name: indexNames.feed,
    key: { sequence: 1 },
    unique: true,
    partialFilterExpression: { sequence: { $exists: true } },
  },
  {
    name: indexNames.signal,
    key: { signal_id: 1 },
    partialFilterExpression: { signal_id: { $exists: true } },
  },
];

export const deliveryIndexes: readonly IndexSpec[] = [
  { name: indexNames.kept, key: { created_at: 1 }, expireAfterSeconds: retentionS },
  // The next two have only pending deliveries. A delivery that succeeds leaves them and enters no other partial index.
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
    key: { subscription: 1, sequence: 1 },
    partialFilterExpression: { status: 'pending', sequence: { $exists: true } },
  },
  { name: indexNames.log, key: { subscription: 1, created_at: -1, _id: -1 } },
  { name: indexNames.ofEvent, key: { subscription: 1, event: 1, created_at: -1, _id: -1 } },
  {
    name: indexNames.failed,
    key: { subscription: 1, created_at: -1, _id: -1, status: 1 },
    partialFilterExpression: { status: 'failed' },
  },
  // The next two have only deliveries that failed at least once.
  {
    name: indexNames.retrying,
    key: { subscription: 1, created_at: -1, _id: -1 },
    partialFilterExpression: { status: 'pending', attempt_count: { $gt: 0 } },
  },
  {
    name: indexNames.answered,
    key: { subscription: 1, failure_status: 1, created_at: -1, _id: -1 },
    partialFilterExpression: { failure_status: { $exists: true } },
  },
];

export const deletedSubscriptionIndexes: readonly IndexSpec[] = [{ name: 'oldest', key: { at: 1 } }, byKey];
