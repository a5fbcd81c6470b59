import {
  contractKey,
  nextStatuses,
  type Position,
  type SignalStatus,
  signalStatuses,
  symbolKey,
} from '@sigcast/contracts';
import { createdIn, storeCall } from '@sigcast/mongo';
import type { Connection, mongo } from 'mongoose';
import type { PastFilter, PastSignal, PastStore } from '../domain/past.ts';
import {
  type ObservationDocument,
  observationsCollection,
  observationsUpTo,
} from './observation-document.ts';
import { indexNames, knownDay, type TrackedDocument, trackedCollection } from './tracked-document.ts';

/** The fields that are read of a signal: those that never change, and those that say since when something was known. */
type KnownDocument = Pick<
  TrackedDocument,
  | ('_id' | 'token' | 'type' | 'is_premium' | 'created_at' | 'mcap_entry')
  | ('known_at' | 'status_known_at' | 'revs_known')
>;

const fields = {
  token: 1,
  type: 1,
  is_premium: 1,
  created_at: 1,
  mcap_entry: 1,
  known_at: 1,
  status_known_at: 1,
  revs_known: 1,
} as const;

/** The past in MongoDB: signals from `tracked`, their figures from the observation that was the newest known. */
export function mongoPast(connection: Connection): PastStore {
  const tracked = connection.collection<TrackedDocument>(trackedCollection);
  const observations = connection.collection<ObservationDocument>(observationsCollection);
  const asKnown = (found: readonly KnownDocument[], asOf: Date) =>
    Promise.all(found.map((signal) => withFigures(observations, signal, asOf)));
  return {
    find: (id, asOf) =>
      storeCall(async () => {
        const found = await tracked.findOne<KnownDocument>(
          { _id: id, known_at: { $lte: asOf } },
          { projection: fields },
        );
        return found === null ? undefined : withFigures(observations, found, asOf);
      }),

    page: ({ filter, after, skip, limit }) =>
      storeCall(async () => {
        const { conditions, index } = queryOf(filter, after);
        const found = await tracked
          .find<KnownDocument>(conditions, { projection: fields })
          .sort({ created_at: -1, _id: -1 })
          .skip(skip)
          .limit(limit)
          .hint(index)
          .toArray();
        const signals = await asKnown(found, filter.asOf);
        return found.map(({ _id: id, created_at }, n) => ({ id, createdAt: created_at, signal: signals[n] }));
      }),

    count: (filter, most) =>
      storeCall(() => {
        const { conditions, index } = queryOf(filter);
        return tracked.countDocuments(conditions, { hint: index, limit: most });
      }),

    total: (filter, range) =>
      storeCall(async () => {
        const { types: _types, statuses: _statuses, ...indexed } = filter;
        const inRange = queryOf(indexed);
        // The index has all that is asked here. The rest of the filter is looked up for the signals of the range only.
        const { known_at: _knownAt, ...conditionsOfIndex } = inRange.conditions;
        const [older] = await tracked
          .find<Pick<KnownDocument, '_id' | 'created_at'>>(conditionsOfIndex, {
            projection: { created_at: 1 },
          })
          .sort({ created_at: -1, _id: -1 })
          .hint(inRange.index)
          .skip(range)
          .limit(1)
          .toArray();
        const oldest = older && { id: older._id, createdAt: older.created_at };
        const { conditions, index } = queryOf(filter, undefined, oldest);
        const total = await tracked.countDocuments(conditions, { hint: index, limit: range });
        return { total, ...(older && { capped: true }) };
      }),
  };
}

/** More than clocks differ: a signal may seem to be known before it was created. */
const clocksDifferMs = 60_000;

/**
 * The conditions and the index of a filter, for signals after a position and down to another. A token has few signals;
 * other conditions are checked on the way.
 */
export function queryOf(
  { asOf, types, statuses, symbol, contract, chain, createdAfter, createdUntil }: PastFilter,
  after?: Position,
  downTo?: Position,
): {
  readonly conditions: mongo.Filter<TrackedDocument>;
  readonly index: string;
} {
  // A signal is known after its creation, so the index is read from `asOf` on.
  const latestMs = Math.min(
    createdUntil?.getTime() ?? Number.POSITIVE_INFINITY,
    asOf.getTime() + clocksDifferMs,
  );
  const isOfStatus = statuses && statuses.length < signalStatuses.length;
  return {
    conditions: {
      ...createdIn({ createdAfter, createdUntil: new Date(latestMs) }, after, downTo),
      known_at: { $lte: asOf },
      ...(contract !== undefined && { contract_key: contractKey(contract) }),
      ...(symbol !== undefined && { symbol_key: symbolKey(symbol) }),
      ...(chain !== undefined && { 'token.chain': chain }),
      ...(types && { type: { $in: [...types] } }),
      ...(isOfStatus && { $or: statuses.map((status) => hadStatus(status, asOf)) }),
    },
    index: indexFor({ contract, symbol, chain }),
  };
}

/** The index of a filter: of what it names, that with the fewest signals. */
function indexFor({ contract, symbol, chain }: Pick<PastFilter, 'contract' | 'symbol' | 'chain'>): string {
  if (contract !== undefined) return indexNames.contract;
  if (symbol !== undefined) return indexNames.symbol;
  return chain === undefined ? indexNames.creation : indexNames.chain;
}

/** The condition for signals that had a status, by what was known at an instant. */
function hadStatus(status: SignalStatus, asOf: Date): mongo.Filter<TrackedDocument> {
  const known = { $lte: asOf };
  return {
    ...(status !== 'active' && { [`status_known_at.${status}`]: known }),
    ...Object.fromEntries(nextStatuses[status].map((next) => [`status_known_at.${next}`, { $not: known }])),
  };
}

/** The status that a signal had, by what was known at an instant. */
function statusAt(known: TrackedDocument['status_known_at'], asOf: Date): SignalStatus {
  const has = (status: 'winner' | 'dead' | 'rugged') => {
    const at = known?.[status];
    return at !== undefined && at <= asOf;
  };
  return (['rugged', 'dead', 'winner'] as const).find(has) ?? 'active';
}

/** The highest revision that may have been known at an instant: the highest of its day and the days before. */
export function highestRev(revs: TrackedDocument['revs_known'], asOf: Date): number {
  const day = Number(knownDay(asOf).slice(1));
  const upTo = Object.entries(revs).filter(([key]) => Number(key.slice(1)) <= day);
  return Math.max(0, ...upTo.map(([, rev]) => rev));
}

/** A signal with the figures of the highest revision that was known. Undefined where the store has lost its observations. */
async function withFigures(
  observations: mongo.Collection<ObservationDocument>,
  signal: KnownDocument,
  asOf: Date,
): Promise<PastSignal | undefined> {
  const { _id: id, token, type, is_premium, created_at, mcap_entry, status_known_at, revs_known } = signal;
  const _id = observationsUpTo(id, highestRev(revs_known, asOf));
  const found = await observations.findOne({ _id, known_at: { $lte: asOf } }, { sort: { _id: -1 } });
  if (found === null) return undefined;
  const { mcap, mcap_ath, ath_hours, liquidity, volume, holders, recorded_at } = found;
  return {
    id,
    token,
    type,
    isPremium: is_premium,
    createdAt: created_at,
    status: statusAt(status_known_at, asOf),
    mcapEntry: mcap_entry,
    mcap,
    mcapAth: mcap_ath,
    athHours: ath_hours,
    liquidity,
    volume,
    holders,
    updatedAt: recorded_at,
  };
}
