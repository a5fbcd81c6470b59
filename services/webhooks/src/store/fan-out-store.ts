import type { SentEventType, SignalType, WebhookEventType } from '@sigcast/contracts';
import { duplicateWrites, idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { Claimed, Recipient } from '../domain/attempting.ts';
import type { Lease } from '../domain/delivery.ts';
import type { FanOutPorts } from '../domain/fan-out.ts';
import { signingSecrets } from '../domain/signing-secrets.ts';
import { type DeliveryDocument, failingOf, isProven, toDeliveryRecord } from './documents.ts';
import { eventKeeper } from './event-keeper.ts';
import { indexNames } from './indexes.ts';
import { isHeld, markDue } from './lane-store.ts';
import { leaseDocument, newLease, type Writer } from './leases.ts';
import { type Models, plainDeliveries } from './models.ts';

/** A delivery's id says its event and its subscription, so making it again finds it. */
export function deliveryId(eventId: string, subscription: string): string {
  return `${eventId}.${subscription}`;
}

/** The subscription a delivery's id names. */
export function subscriptionOf(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}

/** The event a delivery's id names. */
export function eventOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

/** Events that come at the same time share commands: as many as a worker has in hand, while two commands are under way. */
const batches = { most: 100, atOnce: 2 };

type Wanted = { readonly event: WebhookEventType; readonly type: SignalType };

/** What the fan-out reads and writes in MongoDB. */
export function mongoFanOutStore(
  models: Models,
  writer: Writer,
): Pick<
  FanOutPorts,
  'keepEvent' | 'matching' | 'held' | 'giveBack' | 'openDeliveries' | 'markDue' | 'finish'
> {
  const { now, worker } = writer;
  const { events, subscriptions, deliveries } = models;
  /** Those of these deliveries that stand in the store under this lease. */
  const underLease = async (ids: readonly string[], { token }: Lease): Promise<ReadonlySet<string>> => {
    const found = await deliveries.find({ _id: { $in: ids }, 'lease.token': token }, { _id: 1 }).lean();
    return new Set(found.map(({ _id }) => _id));
  };

  const findMatching = async ({ event, type }: Wanted): Promise<readonly Recipient[]> => {
    const found = await subscriptions
      .find(
        { status: 'enabled', events: event, types: type },
        {
          account: 1,
          url: 1,
          proven: 1,
          ordered: 1,
          secret: 1,
          retired_secrets: 1,
          failing_since: 1,
          failing_told: 1,
          account_state: 1,
        },
      )
      .hint(indexNames.matching)
      .lean();
    const at = new Date(now());
    return found.map(
      ({
        _id,
        account,
        url,
        proven,
        ordered = false,
        secret,
        retired_secrets: retiredSecrets = [],
        account_state,
        ...noted
      }) => ({
        ...{ id: _id, account, url, proven: isProven({ proven }), ordered, failing: failingOf(noted) },
        held: account_state?.suspended === true,
        secrets: signingSecrets({ secret, retiredSecrets }, at),
      }),
    );
  };
  const lookUp = inBatches(
    (batch: readonly Wanted[]) =>
      storeCall(() => {
        const found = new Map<string, Promise<readonly Recipient[]>>();
        return Promise.all(
          batch.map((wanted) => {
            const key = `${wanted.event} ${wanted.type}`;
            const finding = found.get(key) ?? findMatching(wanted);
            found.set(key, finding);
            return finding;
          }),
        );
      }),
    batches,
  );

  return {
    keepEvent: eventKeeper(models, now),

    finish: inBatches(
      (ids: readonly string[]) =>
        storeCall(async () => {
          await events.updateMany({ _id: { $in: ids } }, { $set: { fanned_out: true } });
          return ids.map(() => undefined);
        }),
      batches,
    ),

    matching: (event, type) => lookUp({ event, type }),

    held: (ids) =>
      storeCall(async () => {
        const found = await subscriptions.find({ _id: { $in: ids }, ...isHeld }, { _id: 1 }).lean();
        return new Set(found.map(({ _id }) => _id));
      }),

    giveBack: (ids) =>
      storeCall(async () => {
        for (const some of idBatches(ids)) {
          await deliveries
            .updateMany({ _id: { $in: some }, 'lease.worker': worker() }, { $set: { lease: null } })
            .hint({ _id: 1 });
        }
      }),

    openDeliveries: (event, recipients, reserved) =>
      storeCall(async () => {
        const lease = newLease(writer);
        const at = lease.startedAt;
        const inOrder = recipients.some(({ ordered }) => ordered);
        const place = inOrder ? (await events.findById(event.id, { seq: 1 }).lean())?.seq : undefined;
        const opened = recipients.map((recipient) => {
          const made = newDelivery({ ...event, place }, recipient, at);
          return reserved.has(made._id) ? { ...made, lease: leaseDocument(lease) } : made;
        });
        const written = await onceOnly(() => plainDeliveries(models).insertMany(opened, { ordered: false }));
        // Where another one was first, what stands there is not ours, whatever it is.
        const ours = written ? undefined : await underLease([...reserved], lease);
        return recipients.flatMap(({ url, proven, secrets, failing }, index): Claimed[] => {
          const document = opened[index];
          if (!document?.lease || (ours && !ours.has(document._id))) return [];
          const delivery = toDeliveryRecord(document);
          return [{ delivery, lease, url, proven, secrets, failing, body: event.body }];
        });
      }),

    markDue: (ids) => storeCall(() => markDue(models, ids)),
  };
}

/** A delivery about to begin. Its subscription is marked as due besides, unless it is claimed at once. */
export function newDelivery(
  event: {
    readonly id: string;
    readonly type: SentEventType;
    readonly signalId: string | null;
    /** In the feed, if it is there. */
    readonly place?: number | undefined;
  },
  subscription: { readonly id: string; readonly account: string; readonly ordered?: boolean },
  at: Date,
): DeliveryDocument {
  return {
    _id: deliveryId(event.id, subscription.id),
    account: subscription.account,
    subscription: subscription.id,
    event_id: event.id,
    event: event.type,
    signal_id: event.signalId,
    ...(subscription.ordered && { place: event.place ?? 0 }),
    status: 'pending',
    attempt_count: 0,
    attempts: [],
    next_attempt_at: at,
    lease: null,
    crashes: 0,
    created_at: at,
    updated_at: at,
  };
}

/** Stores those deliveries that are not there yet; what is there stays as it is. */
export async function insertMissing(
  deliveries: Models['deliveries'],
  documents: readonly DeliveryDocument[],
): Promise<void> {
  await onceOnly(() =>
    deliveries.bulkWrite(
      documents.map(({ _id, ...fields }) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
      })),
      { ordered: false },
    ),
  );
}

/** Two at once that both mean to make a document: the one that comes second finds it made, and gets nothing. */
async function onceOnly<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (!duplicateWrites(error)) throw error;
    return undefined;
  }
}
