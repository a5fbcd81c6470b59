import { storeCall } from '@sigcast/mongo';
import { type Connection, type Model, Schema } from 'mongoose';
import type { LostQueues } from '../relay/lost-queues.ts';

type LostQueueDocument = { _id: string; lost_at: Date };

const schema = new Schema<LostQueueDocument>(
  { _id: { type: String, required: true }, lost_at: { type: Date, required: true } },
  { collection: 'lost_queues', versionKey: false, strict: 'throw' },
);

/** The timeout of reading, in milliseconds: no longer than a scrape of the metrics waits. */
const readTimeoutMs = 1_000;

/** Lost queues in MongoDB. */
export function mongoLostQueues(connection: Connection): LostQueues {
  const model: Model<LostQueueDocument> = connection.model<LostQueueDocument>('LostQueue', schema);
  return {
    note: (queue, at) =>
      storeCall(async () => {
        await model.updateOne({ _id: queue }, { $set: { lost_at: at } }, { upsert: true });
      }),
    all: () =>
      storeCall(async () => {
        const lost = await model.find().maxTimeMS(readTimeoutMs).lean();
        return new Map(lost.map(({ _id, lost_at: at }) => [_id, at]));
      }),
    refilled: (queue, lostAt) =>
      storeCall(async () => {
        await model.deleteOne({ _id: queue, lost_at: lostAt });
      }),
  };
}
