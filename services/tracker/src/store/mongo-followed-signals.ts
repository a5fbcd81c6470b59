import { randomUUID } from 'node:crypto';
import { contractKey, maxObservations, type Realizable } from '@sigcast/contracts';
import { tokensPerRequest } from '@sigcast/market';
import { storeCall } from '@sigcast/mongo';
import type { Decision } from '@sigcast/outcomes';
import type { Connection, mongo } from 'mongoose';
import type {
  Claim,
  FollowedSignals,
  LeasedChange,
  LeasedSignal,
  PendingObservation,
} from '../domain/following.ts';
import { indexNames, type TrackedDocument, trackedCollection } from './tracked-document.ts';

/** `pending` as it is stored. */
type PendingDocument = {
  observed_at: Date;
  metrics?: { mcap: number; liquidity: number; volume_24h: number; holders?: number };
  status?: Decision['status'];
  evidence?: { rule: string; observations: Date[] };
  realizable?: Realizable;
};

type DueRow = {
  readonly _id: string;
  readonly contract: string;
  readonly token: { readonly chain: string };
  readonly most_tokens?: number;
  readonly due_at: Date;
  readonly now: Date;
};

/** The followed signals in MongoDB. Only the poller writes what these methods write. */
export function mongoFollowedSignals(connection: Connection): FollowedSignals {
  const tracked = connection.collection<TrackedDocument>(trackedCollection);

  /** The signals that are due first, and the store's clock, by which the caller decides which of them are due. */
  const first = (limit: number) =>
    tracked
      .aggregate<DueRow>(
        [
          { $match: { due_at: { $exists: true } } },
          { $sort: { due_at: 1 } },
          { $limit: limit },
          { $project: { contract: 1, 'token.chain': 1, most_tokens: 1, due_at: 1, now: '$$NOW' } },
        ],
        { hint: indexNames.due },
      )
      .toArray();

  const leased = async (rows: readonly DueRow[], leaseMs: number): Promise<Claim> => {
    const [first] = rows;
    const now = first?.now ?? new Date(Number.NaN);
    const lease = randomUUID();
    const dueAt = new Map(rows.map(({ _id, due_at }) => [_id, due_at]));
    const _id = { $in: [...dueAt.keys()] };
    // A signal that another poller has leased meanwhile is due later.
    const { modifiedCount } = await tracked.updateMany(
      { _id, due_at: { $lte: now } },
      { $set: { due_at: new Date(now.getTime() + leaseMs), lease } },
    );
    const found = modifiedCount === 0 ? [] : await tracked.find({ _id, lease }).toArray();
    const signals = found.map((one) => leasedSignal(one, dueAt.get(one._id) ?? now));
    return { lease, nowMs: now.getTime(), chain: first?.token.chain ?? '', signals };
  };

  return {
    dueInMs: () =>
      storeCall(async () => {
        const [row] = await first(1);
        return row && Math.max(0, row.due_at.getTime() - row.now.getTime());
      }),

    claim: (leaseMs) => storeCall(async () => leased(ofOneRequest(await first(maxObservations)), leaseMs)),

    write: (lease, changes) =>
      storeCall(async () => {
        if (changes.length === 0) return new Set();
        const { matchedCount } = await tracked.bulkWrite(
          changes.map((change) => ({
            updateOne: { filter: { _id: change.id, lease }, update: updateOf(change) },
          })),
          { ordered: false, ignoreUndefined: true },
        );
        const ids = changes.map(({ id }) => id);
        if (matchedCount === changes.length) return new Set(ids);
        // Some leases ended: another poller has the signal, or the signal is final.
        const held = await tracked.find({ _id: { $in: ids }, lease }, { projection: { _id: 1 } }).toArray();
        return new Set(held.map(({ _id }) => _id));
      }),
  };
}

/** Due rows, in their order, of the first one's chain and of as many tokens as one request takes and each row allows. */
function ofOneRequest(rows: readonly DueRow[]): readonly DueRow[] {
  const tokens = new Set<string>();
  let most = tokensPerRequest;
  const chain = rows[0]?.token.chain;
  return rows.filter(({ contract, token, most_tokens = tokensPerRequest, due_at, now }) => {
    const key = contractKey(contract);
    const size = tokens.size + (tokens.has(key) ? 0 : 1);
    if (due_at > now || token.chain !== chain || size > Math.min(most, most_tokens)) return false;
    tokens.add(key);
    most = Math.min(most, most_tokens);
    return true;
  });
}

function leasedSignal(document: TrackedDocument, dueAt: Date): LeasedSignal {
  const { _id, contract, mcap_entry, liquidity_entry, status, created_at, pending, most_tokens } = document;
  const { state, position, seen, holders, refresh_at } = document;
  return {
    id: _id,
    contract,
    state,
    position,
    seen,
    holders,
    isRefreshed: refresh_at !== undefined,
    dueAt,
    mostTokens: most_tokens,
    followed: { mcapEntry: mcap_entry, liquidityEntry: liquidity_entry, createdAt: created_at, status },
    pending: pending === undefined ? undefined : pendingObservation(pending as PendingDocument),
  };
}

function updateOf({
  state,
  position,
  seen,
  refreshAt,
  holders,
  pending,
  mostTokens,
  release,
}: LeasedChange): mongo.UpdateFilter<TrackedDocument> {
  const dueAt = release?.dueAt;
  const set = {
    ...(state !== undefined && { state }),
    ...(position !== undefined && { position }),
    ...(seen && { seen }),
    ...(refreshAt && { refresh_at: refreshAt }),
    ...(pending && { pending: pendingDocument(pending) }),
    ...(mostTokens && { most_tokens: mostTokens }),
    ...(dueAt && { due_at: dueAt }),
  };
  const over = { due_at: '', state: '', position: '', seen: '', refresh_at: '', holders: '' } as const;
  const unset = {
    ...(holders === null && { holders: '' as const }),
    ...(pending === null && { pending: '' as const }),
    ...(release && { lease: '' as const }),
    ...(mostTokens === null && { most_tokens: '' as const }),
    ...(release && !dueAt && over),
  };
  return {
    ...(Object.keys(set).length > 0 && { $set: set }),
    ...(Object.keys(unset).length > 0 && { $unset: unset }),
  };
}

function pendingDocument({
  observedAt,
  metrics,
  status,
  evidence,
  realizable,
}: PendingObservation): PendingDocument {
  return {
    observed_at: observedAt,
    ...(metrics && {
      metrics: {
        mcap: metrics.mcap,
        liquidity: metrics.liquidity,
        volume_24h: metrics.volume24h,
        ...(metrics.holders !== undefined && { holders: metrics.holders }),
      },
    }),
    ...(status && { status }),
    ...(evidence && { evidence: { rule: evidence.rule, observations: [...evidence.observations] } }),
    ...(realizable && { realizable }),
  };
}

function pendingObservation({
  observed_at,
  metrics,
  status,
  evidence,
  realizable,
}: PendingDocument): PendingObservation {
  return {
    observedAt: observed_at,
    ...(metrics && {
      metrics: {
        mcap: metrics.mcap,
        liquidity: metrics.liquidity,
        volume24h: metrics.volume_24h,
        ...(metrics.holders !== undefined && { holders: metrics.holders }),
      },
    }),
    ...(status && { status }),
    ...(evidence && { evidence }),
    ...(realizable && { realizable }),
  };
}

/** Counted at most: a count stops here, so that it costs little however many signals are due. */
const mostCounted = 20_000;

/** How many signals are due that no poller works on; 20,000 stands for more, too. By this process' clock. */
export function countDue(connection: Connection): Promise<number> {
  return connection
    .collection<TrackedDocument>(trackedCollection)
    .countDocuments({ due_at: { $lte: new Date() } }, { hint: indexNames.due, limit: mostCounted });
}
