import { storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import type { SignalFact } from '../domain/fact.ts';
import type { FactLedger } from '../domain/fact-ledger.ts';
import { type FactDocument, factsCollection } from './fact-document.ts';
import { exitOf } from './fact-position.ts';
import { knowsAth, knowsPosition, signalRevision, storedRevision } from './fact-revision.ts';

/** The facts in MongoDB, by id. */
export function mongoLedger(connection: Connection): FactLedger {
  const facts = connection.collection<FactDocument>(factsCollection);
  return {
    page: ({ after, until, limit }) =>
      storeCall(async () => {
        const range = {
          ...(after === undefined ? {} : { $gt: after }),
          ...(until === undefined ? {} : { $lte: until }),
        };
        const filter = Object.keys(range).length === 0 ? {} : { _id: range };
        const documents = await facts.find(filter).sort({ _id: 1 }).limit(limit).toArray();
        return documents.map((document) => toFact(document));
      }),

    find: (id) =>
      storeCall(async () => {
        const document = await facts.findOne({ _id: id });
        return document ? toFact(document) : undefined;
      }),

    remove: (fact) =>
      storeCall(async () => {
        await facts.deleteOne({ _id: fact.id, rev: storedRevision(fact) });
      }),
  };
}

function toFact(document: FactDocument): SignalFact {
  const { _id: id, type, status, roi, created_at: createdAt, rev } = document;
  const { ath_roi = 0, time_to_ath = 0, realizable_roi = 0, realizable_exit } = document;
  return {
    ...{ id, type, status, roi, createdAt, rev: signalRevision(rev) },
    ath: knowsAth(rev) ? { roi: ath_roi, after: time_to_ath } : undefined,
    realizable: knowsPosition(rev) ? { roi: realizable_roi, exit: exitOf(realizable_exit) } : undefined,
  };
}
