import type { SignalType } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import type { Selection, StatisticsStore, Totals } from '../domain/ports.ts';
import { factModel, indexNames } from './fact-document.ts';

type Group = { _id: SignalType; total: number; winners: number; roiSum: number; roiMax: number };

/** Totals by one pass over the facts of the selection, read from an index alone. */
export function mongoStatistics(connection: Connection): StatisticsStore {
  const model = factModel(connection);
  return {
    totals: async ({ type, from, to }: Selection) => {
      const created_at = { $lte: to, ...(from === undefined ? {} : { $gt: from }) };
      const groups = await storeCall(() =>
        model
          .aggregate<Group>([
            { $match: type === undefined ? { created_at } : { type, created_at } },
            {
              $group: {
                _id: '$type',
                total: { $sum: 1 },
                winners: { $sum: { $cond: [{ $eq: ['$status', 'winner'] }, 1, 0] } },
                roiSum: { $sum: '$roi' },
                roiMax: { $max: '$roi' },
              },
            },
          ])
          .hint(type === undefined ? indexNames.all : indexNames.type),
      );
      return new Map<SignalType, Totals>(groups.map(({ _id, ...totals }) => [_id, totals]));
    },
  };
}
