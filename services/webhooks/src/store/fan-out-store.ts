import type { SentEventType, SignalType, WebhookEventType } from '@sigcast/contracts';
import { duplicateWrites, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { Recipient } from '../domain/attempting.ts';
import type { FanOutPorts } from '../domain/fan-out.ts';
import { signingSecrets } from '../domain/signing-secrets.ts';
import {
  type DeliveryDocument,
  indexNames,
  type Models,
  plainDeliveries,
  toDeliveryRecord,
} from './documents.ts';
import { eventKeeper } from './event-keeper.ts';
import { leaseFields, newLease } from './leases.ts';

/** Time after which the sweeper looks at a delivery whose pointer should have been taken up long ago, in milliseconds. */
export const pointerGraceMs = 5_000;

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
  now: () => number,
): Pick<FanOutPorts, 'keepEvent' | 'matching' | 'openDeliveries' | 'finish'> {
  const { events, subscriptions, deliveries } = models;
  /** Those of these deliveries that stand in the store under the lease they were to be made with. */
  const underLease = async (made: readonly DeliveryDocument[]): Promise<ReadonlySet<string>> => {
    const found = await deliveries.find({ _id: { $in: made.map(({ _id }) => _id) } }, { lease: 1 }).lean();
    const tokens = new Map(found.map(({ _id, lease }) => [_id, lease?.token]));
    return new Set(made.filter(({ _id, lease }) => tokens.get(_id) === lease?.token).map(({ _id }) => _id));
  };

  const findMatching = async ({ event, type }: Wanted): Promise<readonly Recipient[]> => {
    const found = await subscriptions
      .find(
        { status: 'enabled', events: event, types: type },
        { account: 1, url: 1, secret: 1, retired_secrets: 1, failing_since: 1 },
      )
      .hint(indexNames.matching)
      .lean();
    const at = new Date(now());
    return found.map(
      ({ _id, account, url, secret, retired_secrets: retiredSecrets = [], failing_since }) => ({
        ...{ id: _id, account, url, failingSince: failing_since ?? null },
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

    openDeliveries: (event, recipients, reserved) =>
      storeCall(async () => {
        const at = new Date(now());
        const sweepAt = new Date(at.getTime() + pointerGraceMs);
        const opened = recipients.map((recipient) => {
          const lease = reserved.has(recipient.id) ? newLease(at.getTime()) : undefined;
          const document = newDelivery(event, recipient, { at, sweepAt });
          return { document: lease ? { ...document, ...leaseFields(lease) } : document, lease, recipient };
        });
        const written = await onceOnly(() =>
          plainDeliveries(models).insertMany(
            opened.map(({ document }) => document),
            { ordered: false },
          ),
        );
        const leased = opened.filter(({ lease }) => lease !== undefined);
        // Where another one was first, what stands there is not ours, whatever it is.
        const ours = written ? undefined : await underLease(leased.map(({ document }) => document));
        const claimed = leased.flatMap(({ document, lease, recipient }) => {
          if (!lease || (ours && !ours.has(document._id))) return [];
          const { url, secrets, failingSince } = recipient;
          const delivery = toDeliveryRecord(document);
          return [{ delivery, lease, url, secrets, failingSince, body: event.body }];
        });
        return { ids: opened.map(({ document }) => document._id), claimed };
      }),
  };
}

/** A delivery about to begin. `sweepAt` is when the sweeper looks at it, should nobody have told a worker before. */
export function newDelivery(
  event: { readonly id: string; readonly type: SentEventType; readonly signalId: string | null },
  subscription: { readonly id: string; readonly account: string },
  { at, sweepAt }: { readonly at: Date; readonly sweepAt: Date },
): DeliveryDocument {
  return {
    _id: deliveryId(event.id, subscription.id),
    account: subscription.account,
    subscription: subscription.id,
    event_id: event.id,
    event: event.type,
    signal_id: event.signalId,
    status: 'pending',
    attempt_count: 0,
    attempts: [],
    next_attempt_at: at,
    lease: null,
    crashes: 0,
    sweep_at: sweepAt,
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
