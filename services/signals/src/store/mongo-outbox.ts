import { storeCall, translateMongoError } from '@sigcast/mongo';
import type { Outbox, PendingSignal, RelayedSignal } from '../relay/outbox.ts';
import { indexNames, type SignalDocument, type SignalModel } from './signal-document.ts';

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
  const complete = signals.filter(({ events, relayed }) => relayed.length === events.length);
  const emptied = await clearComplete(model, complete);
  const changedMeanwhile = emptied < complete.length;
  const partly = signals.filter(
    ({ events, relayed }) => relayed.length > 0 && (changedMeanwhile || relayed.length < events.length),
  );
  for (const { id, relayed } of partly) {
    const ids = relayed.map((event) => event.id);
    await model.updateOne({ _id: id }, { $pull: { outbox: { id: { $in: ids } } } });
  }
}

/**
 * Empties outboxes, of which every event has been relayed. Each new event raises the revision, so as long as that is
 * the same the outbox holds nothing but what was read. One write for all of a revision: most are new, at 1.
 *
 * @returns how many signals still had that revision.
 */
async function clearComplete(model: SignalModel, signals: readonly RelayedSignal[]): Promise<number> {
  let matched = 0;
  for (const [rev, group] of Map.groupBy(signals, (signal) => signal.rev)) {
    const { matchedCount } = await model.updateMany(
      { _id: { $in: group.map(({ id }) => id) }, rev },
      { $set: { outbox: [] }, $unset: { pending_since: '' } },
    );
    matched += matchedCount;
  }
  return matched;
}
