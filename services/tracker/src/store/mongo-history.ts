import { storeCall, translateMongoError } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import type { HistoryObservation, HistoryStore } from '../domain/ports.ts';
import {
  type ObservationDocument,
  observationsCollection,
  observationsUpTo,
} from './observation-document.ts';
import { type TrackedDocument, trackedCollection } from './tracked-document.ts';

/** Observations that are in memory at once. */
const batchSize = 1_000;

const fields = {
  _id: 0,
  at: 1,
  recorded_at: 1,
  mcap: 1,
  liquidity: 1,
  source: 1,
  status: 1,
  evidence: 1,
} as const;

/** The history in MongoDB. */
export function mongoHistory(connection: Connection): HistoryStore {
  const observations = connection.collection<ObservationDocument>(observationsCollection);
  const tracked = connection.collection<TrackedDocument>(trackedCollection);
  return {
    find: (id) =>
      storeCall(async () => {
        const found = await tracked.findOne({ _id: id });
        if (!found) return undefined;
        const { rev, created_at, status, mcap_entry, mcap_ath, ath_hours } = found;
        return {
          id,
          rev,
          createdAt: created_at,
          status,
          mcapEntry: mcap_entry,
          mcapAth: mcap_ath,
          athHours: ath_hours,
        };
      }),

    observations: async function* ({ id, rev }) {
      const cursor = observations
        .find({ _id: observationsUpTo(id, rev) }, { projection: fields })
        .sort({ _id: 1 })
        // eslint-disable-next-line no-restricted-syntax -- in order of ids, which never change
        .batchSize(batchSize);
      try {
        for await (const document of cursor) yield toObservation(document);
      } catch (error) {
        throw translateMongoError(error);
      }
    },
  };
}

function toObservation({
  at,
  recorded_at,
  mcap,
  liquidity,
  source,
  status,
  evidence,
}: Pick<ObservationDocument, Exclude<keyof typeof fields, '_id'>>): HistoryObservation {
  return {
    at,
    recordedAt: recorded_at,
    mcap,
    liquidity,
    source,
    ...(status !== undefined && { status }),
    ...(evidence !== undefined && { evidence }),
  };
}
