import type { OutgoingEvent } from '@sigcast/contracts';
import { duplicateWrites, type IndexSpec, storeCall } from '@sigcast/mongo';
import { type Connection, type Model, Schema } from 'mongoose';
import type { Archive } from '../relay/outbox.ts';

/** How long events are kept, in seconds. No consumer lags a day behind unnoticed, so a lost queue held no older events. */
const keptS = 86_400;
/** Events that are read at once. */
const replayBatch = 200;
/** Reading ends with the events relayed this long after it began, in milliseconds: later events reach their queues themselves. */
const clockSkewMs = 60_000;

type RelayedEventDocument = { _id: string; event: OutgoingEvent; relayed_at: Date };

type ArchiveModel = Model<RelayedEventDocument>;

export const archiveCollection = 'relayed_events';

const byAge = 'kept';
export const archiveIndexes: readonly IndexSpec[] = [
  { name: byAge, key: { relayed_at: 1 }, expireAfterSeconds: keptS },
];

const schema = new Schema<RelayedEventDocument>(
  {
    _id: { type: String, required: true },
    event: { type: Schema.Types.Mixed, required: true },
    relayed_at: { type: Date, required: true },
  },
  { collection: archiveCollection, versionKey: false, minimize: false, strict: 'throw' },
);

/** The archive's model on this connection. */
export function archiveModel(connection: Connection): ArchiveModel {
  return connection.model<RelayedEventDocument>('RelayedEvent', schema);
}

/** Relayed events in MongoDB, for a day. */
export function mongoArchive(model: ArchiveModel, now: () => Date): Archive {
  return {
    keep: (events) =>
      storeCall(async () => {
        if (events.length === 0) return;
        const relayedAt = now();
        try {
          await model.db.collection<RelayedEventDocument>(archiveCollection).insertMany(
            events.map((event) => ({ _id: event.id, event, relayed_at: relayedAt })),
            { ordered: false },
          );
        } catch (error) {
          const duplicates = duplicateWrites(error);
          if (!duplicates) throw error;
          // Published before and not removed from the outbox: the event is kept for a day from now on.
          const again = [...duplicates].flatMap((index) => events[index]?.id ?? []);
          await model.updateMany({ _id: { $in: again } }, { $max: { relayed_at: relayedAt } });
        }
      }),

    hasEventsOf: (before) =>
      storeCall(async () => (await model.exists({ relayed_at: { $lt: before } }).hint(byAge)) !== null),

    // Read in pages: the server ends a cursor after ten idle minutes, which pass while the refilled queue is full.
    async *all() {
      const startedMs = now().getTime();
      const until = new Date(startedMs + clockSkewMs);
      let from = new Date(startedMs - keptS * 1_000);
      /** The events relayed at `from` that were read already. */
      let seen = new Set<string>();
      for (;;) {
        const page = await storeCall(() =>
          model
            .find({ relayed_at: { $gte: from, $lte: until } })
            .sort({ relayed_at: 1 })
            .hint(byAge)
            .limit(replayBatch + seen.size)
            .lean(),
        );
        const fresh = page.filter(({ _id }) => !seen.has(_id));
        const last = fresh.at(-1)?.relayed_at;
        if (last === undefined) return;
        yield fresh.map(({ event }) => event);
        const atLast = page.filter(({ relayed_at: at }) => at.getTime() === last.getTime());
        seen = new Set(atLast.map(({ _id }) => _id));
        from = last;
      }
    },
  };
}
