import { storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import type { BacktestFilter, BacktestHistory } from '../domain/backtest/run-backtest.ts';
import { highestRev, queryOf } from './mongo-past.ts';
import {
  type ObservationDocument,
  observationId,
  observationsCollection,
  observationsUpTo,
} from './observation-document.ts';
import { type TrackedDocument, trackedCollection } from './tracked-document.ts';

const signalFields = {
  token: 1,
  type: 1,
  is_premium: 1,
  mcap_entry: 1,
  created_at: 1,
  status_known_at: 1,
  revs_known: 1,
} as const;
const observationFields = {
  at: 1,
  known_at: 1,
  mcap: 1,
  liquidity: 1,
  volume: 1,
  holders: 1,
} as const;

type SignalFields = Pick<
  TrackedDocument,
  ('_id' | 'token' | 'type' | 'is_premium' | 'mcap_entry') | ('created_at' | 'status_known_at' | 'revs_known')
>;

/** What backtests read in MongoDB: signals from `tracked`, and their observations. */
export function mongoBacktestHistory(connection: Connection): BacktestHistory {
  const tracked = connection.collection<TrackedDocument>(trackedCollection);
  const observations = connection.collection<ObservationDocument>(observationsCollection);
  const select = ({ isPremium, ...filter }: BacktestFilter) => {
    const { conditions, index } = queryOf(filter);
    return {
      conditions: { ...conditions, ...(isPremium !== undefined && { is_premium: isPremium }) },
      hint: index,
    };
  };
  return {
    count: (filter, most) =>
      storeCall(() => {
        const { conditions, hint } = select(filter);
        return tracked.countDocuments(conditions, { hint, limit: most });
      }),

    signals: (filter) =>
      storeCall(async () => {
        const { conditions, hint } = select(filter);
        const found = await tracked
          .find<SignalFields>(conditions, { projection: signalFields })
          .sort({ created_at: -1, _id: -1 })
          .hint(hint)
          .toArray();
        return found.map((signal) => {
          const { dead, rugged } = signal.status_known_at ?? {};
          const over = [dead, rugged].flatMap((at) => at?.getTime() ?? []);
          return {
            id: signal._id,
            symbol: signal.token.symbol,
            type: signal.type,
            token: signal.token,
            isPremium: signal.is_premium,
            mcapEntry: signal.mcap_entry,
            createdAt: signal.created_at,
            overAt: over.length > 0 ? new Date(Math.min(...over)) : undefined,
            rev: highestRev(signal.revs_known, filter.asOf),
          };
        });
      }),

    observations: ({ id, rev }, asOf) =>
      storeCall(async () => {
        const found = await observations
          .find(
            { _id: observationsUpTo(id, rev), known_at: { $lte: asOf } },
            { projection: observationFields },
          )
          .sort({ _id: 1 })
          .toArray();
        const first = observationId(id, 1);
        return found.map(({ _id, known_at: knownAt, ...observation }) => ({
          ...observation,
          knownAt,
          ...(_id === first && { isFirst: true }),
        }));
      }),
  };
}
