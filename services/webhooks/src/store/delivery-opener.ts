import { idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { Claimed, Recipient } from '../domain/attempting.ts';
import type { Lease } from '../domain/delivery.ts';
import type { FanOutPorts, OpenedEvent } from '../domain/fan-out.ts';
import { toDeliveryRecord } from './documents.ts';
import { leaseDocument, newLease, type Writer } from './leases.ts';
import { type Models, plainDeliveries } from './models.ts';
import { newDelivery, onceOnly } from './new-deliveries.ts';

/** Deliveries of one event to make, the `reserved` ones claimed. */
type Opening = {
  readonly event: OpenedEvent;
  readonly recipients: readonly Recipient[];
  readonly reserved: ReadonlySet<string>;
};

/** Events whose deliveries are made in one command, and such commands under way. */
const batches = { most: 10, atOnce: 2 };
/** An event with more recipients shares no command: its deliveries begin as soon as they are made. */
const fewRecipients = 50;

/**
 * A function that makes the deliveries of an event, together with those of other new events that come at the same time. An
 * event that comes again is by itself: if its deliveries can't be made, those of others can.
 */
export function deliveryOpener(models: Models, writer: Writer): FanOutPorts['openDeliveries'] {
  /** Those of these deliveries that stand in the store under this lease. */
  const underLease = async (ids: readonly string[], { token }: Lease): Promise<ReadonlySet<string>> => {
    const found = new Set<string>();
    for (const some of idBatches(ids)) {
      const ours = { _id: { $in: [...some] }, 'lease.token': token };
      for (const { _id } of await models.deliveries.find(ours, { _id: 1 }).lean()) found.add(_id);
    }
    return found;
  };

  /** The places of those events that somebody gets in order. */
  const placesOf = async (batch: readonly Opening[]): Promise<ReadonlyMap<string, number | undefined>> => {
    const ordered = batch.filter(({ recipients }) => recipients.some((one) => one.ordered));
    if (ordered.length === 0) return new Map();
    const ids = ordered.map(({ event }) => event.id);
    const found = await models.events.find({ _id: { $in: ids } }, { seq: 1 }).lean();
    return new Map(found.map(({ _id, seq }) => [_id, seq]));
  };

  const openAll = async (batch: readonly Opening[]): Promise<readonly (readonly Claimed[])[]> => {
    const lease = newLease(writer);
    const places = await placesOf(batch);
    const opened = batch.map(({ event, recipients, reserved }) =>
      recipients.map((recipient) => {
        const made = newDelivery({ ...event, place: places.get(event.id) }, recipient, lease.startedAt);
        const document = reserved.has(made._id) ? { ...made, lease: leaseDocument(lease) } : made;
        return { document, recipient, event };
      }),
    );
    const documents = opened.flat().map(({ document }) => document);
    const written = await onceOnly(() => plainDeliveries(models).insertMany(documents, { ordered: false }));
    // Where another one was first, what stands there is not ours, whatever it is.
    const claimed = documents.filter((document) => document.lease !== null).map(({ _id }) => _id);
    const ours = written ? new Set(claimed) : await underLease(claimed, lease);
    return opened.map((ofEvent) =>
      ofEvent.flatMap(({ document, recipient, event: { body, traceparent, imported } }): Claimed[] => {
        if (document.lease === null || !ours.has(document._id)) return [];
        const { url, proven, secrets, failing } = recipient;
        const sending = { url, proven, secrets, failing, body, traceparent, imported };
        return [{ delivery: toDeliveryRecord(document), lease, ...sending }];
      }),
    );
  };

  const together = inBatches((batch: readonly Opening[]) => storeCall(() => openAll(batch)), batches);
  const alone = async (opening: Opening): Promise<readonly Claimed[]> => {
    const [claimed = []] = await storeCall(() => openAll([opening]));
    return claimed;
  };
  return (event, recipients, reserved) => {
    const opening = { event, recipients, reserved };
    return event.again || recipients.length > fewRecipients ? alone(opening) : together(opening);
  };
}
