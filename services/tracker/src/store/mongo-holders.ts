import { contractKey } from '@sigcast/contracts';
import { claimDue, storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { nextDue, type Schedule } from '../domain/schedule.ts';
import { indexNames, type TrackedDocument, trackedCollection } from './tracked-document.ts';

/** A token whose holders are to be asked about. */
export type TokenToRefresh = { readonly chain: string; readonly contract: string };

/** Which tokens' holders are asked about next. Methods throw SERVICE_UNAVAILABLE while the store is away. */
export type HoldersStore = {
  /** The token that has been due for longest; undefined where none is. It is due again after the lease, unless it is refreshed. */
  claim(leaseMs: number): Promise<TokenToRefresh | undefined>;
  /** Keeps the holders for the next observation of each followed signal of the token. @param holders undefined where they are not known. */
  refreshed(token: TokenToRefresh, holders: number | undefined): Promise<void>;
};

/** Signals of one token that are refreshed together; others come due by themselves. */
const mostSignals = 100;

/** The holders of followed signals in MongoDB. @param schedule how often, by the age of a signal. */
export function mongoHolders(
  connection: Connection,
  { schedule, now }: { readonly schedule: Schedule; readonly now: () => Date },
): HoldersStore {
  const tracked = connection.collection<TrackedDocument>(trackedCollection);
  return {
    claim: (leaseMs) =>
      storeCall(async () => {
        const at = now();
        const until = new Date(at.getTime() + leaseMs);
        const due = { due: 'refresh_at', hint: indexNames.refresh, now: at, until };
        const found = await claimDue(tracked, due);
        return found && { chain: found.token.chain, contract: found.contract };
      }),

    refreshed: ({ chain, contract }, holders) =>
      storeCall(async () => {
        const ofToken = {
          contract_key: contractKey(contract),
          'token.chain': chain,
          refresh_at: { $exists: true },
        };
        const signals = await tracked
          .find(ofToken, { projection: { created_at: 1 } })
          .hint(indexNames.contract)
          .limit(mostSignals)
          .toArray();
        // They may be final by now.
        if (signals.length === 0) return;
        const atMs = now().getTime();
        await tracked.bulkWrite(
          signals.map(({ _id, created_at }) => {
            const dueMs = nextDue(schedule, created_at.getTime(), atMs);
            const set = {
              ...(holders !== undefined && { holders }),
              ...(dueMs !== undefined && { refresh_at: new Date(dueMs) }),
            };
            const update = {
              ...(Object.keys(set).length > 0 && { $set: set }),
              ...(dueMs === undefined && { $unset: { refresh_at: '' as const } }),
            };
            // A signal that is final by now has no time to be refreshed at.
            return { updateOne: { filter: { _id, refresh_at: { $exists: true } }, update } };
          }),
          { ordered: false },
        );
      }),
  };
}
