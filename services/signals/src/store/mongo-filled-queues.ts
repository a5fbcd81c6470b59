import { storeCall } from '@sigcast/mongo';
import { type Connection, type Model, Schema } from 'mongoose';
import type { FilledQueues } from '../relay/replay.ts';

type FilledQueueDocument = { _id: string; mark: string };

const schema = new Schema<FilledQueueDocument>(
  { _id: { type: String, required: true }, mark: { type: String, required: true } },
  { collection: 'filled_queues', versionKey: false, strict: 'throw' },
);

/** The marks of filled queues in MongoDB. */
export function mongoFilledQueues(connection: Connection): FilledQueues {
  const model: Model<FilledQueueDocument> = connection.model<FilledQueueDocument>('FilledQueue', schema);
  return {
    markOf: (queue) => storeCall(async () => (await model.findById(queue).lean())?.mark),
    note: (queue, mark) =>
      storeCall(async () => {
        const before = await model
          .findOneAndUpdate({ _id: queue }, { $set: { mark } }, { upsert: true, returnDocument: 'before' })
          .lean();
        return before?.mark;
      }),
  };
}
