import { idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { ClaimedDelivery, Recipient } from '../domain/attempt-ports.ts';
import type { Lease } from '../domain/delivery.ts';
import type { FanOutPorts, OpenedEvent } from '../domain/fan-out.ts';
import { signingSecrets } from '../domain/signing-secrets.ts';
import { toDeliveryRecord } from './documents.ts';
import { type LeaseHolder, leaseDocument, newLease } from './leases.ts';
import { type Models, plainDeliveries, plainSubscriptions } from './models.ts';
import { newDelivery, unlessDuplicate } from './new-deliveries.ts';

/** The deliveries of one event to make. `reserved`: the ids of those to claim. */
type Opening = {
  readonly event: OpenedEvent;
  readonly recipients: readonly Recipient[];
  readonly reserved: ReadonlySet<string>;
};

/** The most events whose deliveries one command makes, and the most such commands at once. */
const batches = { most: 10, atOnce: 2 };
/** An event with more recipients shares no command with others, so that its own deliveries begin without a wait. */
const maxRecipientsToShare = 50;

/**
 * Returns a function that makes the deliveries of an event. New events that come at the same time share a command. A
 * redelivered event has a command of its own, so that it cannot keep failing the events beside it.
 */
export function deliveryOpener(models: Models, holder: LeaseHolder): FanOutPorts['openDeliveries'] {
  /** Which of these deliveries are stored with this lease. */
  const underLease = async (ids: readonly string[], { token }: Lease): Promise<ReadonlySet<string>> => {
    const found = new Set<string>();
    for (const some of idBatches(ids)) {
      const ours = { _id: { $in: [...some] }, 'lease.token': token };
      for (const { _id } of await models.deliveries.find(ours, { _id: 1 }).lean()) found.add(_id);
    }
    return found;
  };

  /** The sequence numbers of the events that have ordered recipients. */
  const sequencesOf = async (batch: readonly Opening[]): Promise<ReadonlyMap<string, number | undefined>> => {
    const ordered = batch.filter(({ recipients }) => recipients.some((one) => one.ordered));
    if (ordered.length === 0) return new Map();
    const ids = ordered.map(({ event }) => event.id);
    const found = await models.events.find({ _id: { $in: ids } }, { seq: 1 }).lean();
    return new Map(found.map(({ _id, seq }) => [_id, seq]));
  };

  /** The secrets that sign attempts of these subscriptions now, the current one first. */
  const secretsOf = async (ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> => {
    const at = new Date(holder.now());
    const found = new Map<string, readonly string[]>();
    for (const some of idBatches(ids)) {
      const projection = { secret: 1, retired_secrets: 1 } as const;
      const subscriptions = plainSubscriptions(models).find({ _id: { $in: [...some] } }, { projection });
      for (const { _id, secret, retired_secrets: retiredSecrets = [] } of await subscriptions.toArray())
        found.set(_id, signingSecrets({ secret, retiredSecrets }, at));
    }
    return found;
  };

  const openAll = async (batch: readonly Opening[]): Promise<readonly (readonly ClaimedDelivery[])[]> => {
    const lease = newLease(holder);
    const sequences = await sequencesOf(batch);
    const opened = batch.map(({ event, recipients, reserved }) =>
      recipients.map((recipient) => {
        const made = newDelivery({ ...event, sequence: sequences.get(event.id) }, recipient, lease.startedAt);
        const document = reserved.has(made._id) ? { ...made, lease: leaseDocument(lease) } : made;
        return { document, recipient, event };
      }),
    );
    const documents = opened.flat().map(({ document }) => document);
    const claims = documents.filter((document) => document.lease !== null);
    const [written, secrets] = await Promise.all([
      unlessDuplicate(() => plainDeliveries(models).insertMany(documents, { ordered: false })),
      secretsOf([...new Set(claims.map(({ subscription }) => subscription))]),
    ]);
    // A delivery that existed before has another lease or none: this worker has not claimed it.
    const claimed = claims.map(({ _id }) => _id);
    const ours = written ? new Set(claimed) : await underLease(claimed, lease);
    return opened.map((ofEvent) =>
      ofEvent.flatMap(
        ({ document, recipient, event: { body, traceparent, imported } }): ClaimedDelivery[] => {
          const signing = secrets.get(recipient.id);
          // Without secrets, the subscription was deleted meanwhile.
          if (document.lease === null || !ours.has(document._id) || signing === undefined) return [];
          const { url, proven, failing } = recipient;
          const sending = { url, proven, secrets: signing, failing, body, traceparent, imported };
          return [{ delivery: toDeliveryRecord(document), lease, ...sending }];
        },
      ),
    );
  };

  const open = (batch: readonly Opening[]) => storeCall(() => openAll(batch));
  const together = inBatches(open, batches);
  // Many imported events come together. One command at a time leaves the store to live events.
  const oneByOne = inBatches(open, { most: 1, atOnce: 1 });
  const alone = async (opening: Opening): Promise<readonly ClaimedDelivery[]> => {
    const [claimed = []] = await open([opening]);
    return claimed;
  };
  return (event, recipients, reserved) => {
    const opening = { event, recipients, reserved };
    if (!event.redelivered && recipients.length <= maxRecipientsToShare) return together(opening);
    return event.imported ? oneByOne(opening) : alone(opening);
  };
}
