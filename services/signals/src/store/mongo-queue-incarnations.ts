import { storeCall } from '@sigcast/mongo';
import { type Connection, type Model, Schema } from 'mongoose';
import type { QueueIncarnations } from '../relay/replay.ts';

type QueueIncarnationDocument = { _id: string; mark: string };

const schema = new Schema<QueueIncarnationDocument>(
  { _id: { type: String, required: true }, mark: { type: String, required: true } },
  { collection: 'filled_queues', versionKey: false, strict: 'throw' },
);

/** The marks of complete queues in MongoDB. */
export function mongoQueueIncarnations(connection: Connection): QueueIncarnations {
  const model: Model<QueueIncarnationDocument> = connection.model<QueueIncarnationDocument>(
    'QueueIncarnation',
    schema,
  );
  return {
    markOf: (queue) => storeCall(async () => (await model.findById(queue).lean())?.mark),
    record: (queue, mark) =>
      storeCall(async () => {
        const before = await model
          .findOneAndUpdate({ _id: queue }, { $set: { mark } }, { upsert: true, returnDocument: 'before' })
          .lean();
        return before?.mark;
      }),
  };
}
