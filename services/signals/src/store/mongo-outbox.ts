import { storeCall, translateMongoError } from '@sigcast/mongo';
import type { mongo } from 'mongoose';
import type { Outbox, PendingSignal, RelayedSignal } from '../relay/outbox.ts';
import { indexNames, type SignalDocument, type SignalModel, signalsCollection } from './signal-document.ts';

const sweepBatch = 200;
const outboxFields = { rev: 1, outbox: 1 } as const;

/** The events embedded in the signals' documents. */
export function mongoOutbox(model: SignalModel): Outbox {
  return {
    read: (signalIds) =>
      storeCall(async () => {
        const documents = await model.find({ _id: { $in: signalIds } }, outboxFields).lean();
        return documents.map((document) => pendingSignal(document));
      }),

    async *pendingSince(before) {
      try {
        const cursor = model
          .find({ pending_since: { $lte: before } }, outboxFields)
          .sort({ pending_since: 1 })
          .hint(indexNames.pending)
          .lean()
          .cursor({ batchSize: sweepBatch });
        let batch: PendingSignal[] = [];
        for await (const document of cursor) {
          batch.push(pendingSignal(document));
          if (batch.length < sweepBatch) continue;
          yield batch;
          batch = [];
        }
        if (batch.length > 0) yield batch;
      } catch (error) {
        throw translateMongoError(error);
      }
    },

    clear: (signals) => storeCall(() => clear(model, signals)),
  };
}

function pendingSignal({ _id, rev, outbox }: Pick<SignalDocument, '_id' | 'rev' | 'outbox'>): PendingSignal {
  return { id: _id, rev, events: outbox };
}

async function clear(model: SignalModel, signals: readonly RelayedSignal[]): Promise<void> {
  // Every new event raises the revision: as long as it is the same, the outbox holds nothing but what was read.
  const complete = signals.filter(({ events, relayed }) => relayed.length === events.length);
  const emptied = await bulk(
    model,
    complete.map(({ id, rev }) => ({
      updateOne: {
        filter: { _id: id, rev },
        update: { $set: { outbox: [] }, $unset: { pending_since: '' } },
      },
    })),
  );
  const partly =
    emptied === complete.length ? signals.filter((signal) => !complete.includes(signal)) : signals;
  await bulk(
    model,
    partly
      .filter(({ relayed }) => relayed.length > 0)
      .map(({ id, relayed }) => ({
        updateOne: {
          filter: { _id: id },
          update: { $pull: { outbox: { id: { $in: relayed.map((event) => event.id) } } } },
        },
      })),
  );
}

type Operation = mongo.AnyBulkWriteOperation<SignalDocument>;

/** @returns how many documents matched. */
async function bulk(model: SignalModel, operations: readonly Operation[]): Promise<number> {
  if (operations.length === 0) return 0;
  const result = await model.db
    .collection<SignalDocument>(signalsCollection)
    .bulkWrite([...operations], { ordered: false });
  return result.matchedCount;
}
