import { storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import type { SignalFact } from '../domain/fact.ts';
import type { FactLedger } from '../domain/fact-ledger.ts';
import { type FactDocument, factsCollection } from './fact-document.ts';
import { exitOf } from './fact-position.ts';

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
        await facts.deleteOne({ _id: fact.id, rev: fact.rev });
      }),
  };
}

function toFact(document: FactDocument): SignalFact {
  const { _id: id, type, status, roi, created_at: createdAt, rev } = document;
  const { ath_roi, time_to_ath, realizable_roi, realizable_exit } = document;
  return {
    id,
    type,
    status,
    roi,
    createdAt,
    rev,
    ath: { roi: ath_roi, after: time_to_ath },
    realizable: realizable_roi === null ? undefined : { roi: realizable_roi, exit: exitOf(realizable_exit) },
  };
}
