import type { SignalDetail, SignalStatus, SignalType } from '@sigcast/contracts';
import type { IndexSpec } from '@sigcast/mongo';
import type { SeenMarket } from '../domain/following.ts';

/**
 * A signal as the tracker keeps it. The consumer of events writes the first group of fields: those that change are of the
 * highest `rev`. The poller writes the second group, under its lease.
 */
export type TrackedDocument = {
  /** The signal's id. */
  _id: string;
  rev: number;
  /** The token's contract address, as the producer sent it. */
  contract: string;
  /** These fields never change. The keys are made by `symbolKey` and `contractKey` of contracts. */
  token: SignalDetail['token'];
  symbol_key: string;
  contract_key: string;
  type: SignalType;
  is_premium: boolean;
  /** The market cap when the signal was created, US dollars. */
  mcap_entry: number;
  /** The liquidity when the signal was created, US dollars; of the oldest event that the tracker knows. */
  liquidity_entry: number;
  status: SignalStatus;
  created_at: Date;
  /** The lowest revision that the tracker knows, which `liquidity_entry` is of. */
  oldest_rev: number;
  /** The highest market cap up to `rev`, US dollars, as the signals service has it. */
  mcap_ath: number;
  /** Hours from `created_at` to the highest market cap, two decimals. */
  ath_hours: number;
  /** When the tracker recorded the signal first, and each of its later statuses. */
  known_at: Date;
  status_known_at?: { [Status in Exclude<SignalStatus, 'active'>]?: Date };
  /** For each day (UTC), by its {@link knownDay}: the highest of the revisions that were recorded first on that day. */
  revs_known: { [day: string]: number };
  /** When observations older than 30 days are thinned next, or the end of a lease on that; absent where there are none. */
  thin_at?: Date;

  /** When the market is asked next; while a poller works on it, the end of the poller's lease. Absent: not followed. */
  due_at?: Date;
  /** The poller that holds the lease. */
  lease?: string;
  /** The market is asked about at most so many tokens at once with this one, because a request about more failed. */
  most_tokens?: number;
  /** What the rules know of the observations so far. */
  state?: unknown;
  /** What the exit rule knows of them. It is no part of `state`, which other thresholds begin anew. */
  position?: unknown;
  /** What the last answers of the market said. */
  seen?: SeenMarket;
  /** When the token's holders are asked about next, or the end of a lease on that. */
  refresh_at?: Date;
  /** Its holders, until they are in an observation. */
  holders?: number;
  /** An observation that is sent to the signals service, until the service has answered. */
  pending?: unknown;
};

export const trackedCollection = 'tracked';

/** The key of the day (UTC) of an instant, in `revs_known`. */
export function knownDay(at: Date): string {
  return `d${Math.floor(at.getTime() / 86_400_000)}`;
}

/** Names of indexes, which queries give as `hint`. */
export const indexNames = {
  due: 'due',
  thin: 'thin',
  refresh: 'refresh',
  creation: 'by_creation',
  contract: 'by_contract',
  symbol: 'by_symbol',
  chain: 'by_chain',
} as const;

export const trackedIndexes: readonly IndexSpec[] = [
  // Lists as of an instant. The fields of these never change.
  { name: indexNames.creation, key: { created_at: -1, _id: -1 } },
  { name: indexNames.contract, key: { contract_key: 1, created_at: -1, _id: -1 } },
  { name: indexNames.symbol, key: { symbol_key: 1, created_at: -1, _id: -1 } },
  { name: indexNames.chain, key: { 'token.chain': 1, created_at: -1, _id: -1 } },
  // Partial: final signals and those older than the schedule are not in it.
  { name: indexNames.due, key: { due_at: 1 }, partialFilterExpression: { due_at: { $exists: true } } },
  {
    name: indexNames.refresh,
    key: { refresh_at: 1 },
    partialFilterExpression: { refresh_at: { $exists: true } },
  },
  { name: indexNames.thin, key: { thin_at: 1 }, partialFilterExpression: { thin_at: { $exists: true } } },
];
