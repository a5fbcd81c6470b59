import { isInserted, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { OpenedDelivery, Recipient } from '../domain/attempt-ports.ts';
import type { FanOutPorts, OpenedEvent } from '../domain/fan-out.ts';
import { toDeliveryRecord } from './documents.ts';
import { type Models, plainDeliveries } from './models.ts';
import { newDelivery } from './new-deliveries.ts';

/** The deliveries of one event to make. */
type Opening = { readonly event: OpenedEvent; readonly recipients: readonly Recipient[] };

/** The most events whose deliveries one command makes, and the most such commands at once. */
const batches = { most: 10, atOnce: 2 };
/** An event with more recipients shares no command with others, so that its own deliveries begin without a wait. */
const maxRecipientsToShare = 50;

/**
 * Returns a function that makes the deliveries of an event. New events that come at the same time share a command. A
 * redelivered event has a command of its own, so that it cannot keep failing the events beside it.
 * `now`: the store's clock, in Unix milliseconds.
 */
export function deliveryOpener(models: Models, now: () => number): FanOutPorts['openDeliveries'] {
  /** The sequence numbers of the events that have ordered recipients. */
  const sequencesOf = async (batch: readonly Opening[]): Promise<ReadonlyMap<string, number | undefined>> => {
    const ordered = batch.filter(({ recipients }) => recipients.some((one) => one.ordered));
    if (ordered.length === 0) return new Map();
    const ids = ordered.map(({ event }) => event.id);
    const found = await models.events.find({ _id: { $in: ids } }, { sequence: 1 }).lean();
    return new Map(found.map(({ _id, sequence }) => [_id, sequence]));
  };

  const openAll = async (batch: readonly Opening[]): Promise<readonly (readonly OpenedDelivery[])[]> => {
    const at = new Date(now());
    const sequences = await sequencesOf(batch);
    const made = batch.map(({ event, recipients }) =>
      recipients.map((recipient) =>
        newDelivery({ ...event, sequence: sequences.get(event.id) }, recipient, at),
      ),
    );
    await isInserted(() => plainDeliveries(models).insertMany(made.flat(), { ordered: false }));
    return batch.map(({ event, recipients }, ofEvent) =>
      recipients.map((recipient, n): OpenedDelivery => {
        const document = made[ofEvent]?.[n];
        if (event.redelivered || document === undefined) return { recipient };
        const record = toDeliveryRecord(document);
        return { recipient, pending: { id: record.id, dueAt: at, crashes: 0, made: { record, event } } };
      }),
    );
  };

  const open = (batch: readonly Opening[]) => storeCall(() => openAll(batch));
  const together = inBatches(open, batches);
  // Many imported events come together. One command at a time leaves the store to live events.
  const oneByOne = inBatches(open, { most: 1, atOnce: 1 });
  const alone = async (opening: Opening): Promise<readonly OpenedDelivery[]> => {
    const [opened = []] = await open([opening]);
    return opened;
  };
  return (event, recipients) => {
    const opening = { event, recipients };
    if (!event.redelivered && recipients.length <= maxRecipientsToShare) return together(opening);
    return event.imported ? oneByOne(opening) : alone(opening);
  };
}
