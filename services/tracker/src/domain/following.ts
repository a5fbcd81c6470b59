import type { Realizable } from '@sigcast/contracts';
import type { Decision, Followed } from '@sigcast/outcomes';

/** An observation that is to be sent to the signals service. */
export type PendingObservation = {
  readonly observedAt: Date;
  /** US dollars. Absent where the source knows no market. */
  readonly metrics?: {
    readonly mcap: number;
    readonly liquidity: number;
    readonly volume24h: number;
    /** Where they were asked about since the observation before. */
    readonly holders?: number;
  };
  /** The status that a rule decided. */
  readonly status?: Decision['status'];
  /** What the status rests on. */
  readonly evidence?: { readonly rule: string; readonly observations: readonly Date[] };
  /** What the exit rule says as of this observation; absent where there is no position. */
  readonly realizable?: Realizable;
};

/** Market cap and liquidity of an answer, US dollars. */
type SeenFigures = { readonly mcap: number; readonly liquidity: number };

/** What the last answers of the market said of a token. */
export type SeenMarket = {
  /** The newest figures that counted, and which source they are of. */
  readonly counted?: SeenFigures & { readonly source: 'first' | 'second' };
  /** Newer figures that have jumped. The next answer counts if it has jumped in the same direction. */
  readonly doubted?: SeenFigures;
};

/** A signal under a poller's lease. */
export type LeasedSignal = {
  readonly id: string;
  readonly contract: string;
  readonly followed: Followed;
  /** What the rules know; undefined before the first observation. */
  readonly state: unknown;
  /** What the exit rule knows; undefined before the first observation of the market. */
  readonly position: unknown;
  /** What the answers before said; undefined before the first one. */
  readonly seen: SeenMarket | undefined;
  /** The token's holders, where no observation has had them yet. */
  readonly holders: number | undefined;
  /** Whether the holders are asked about at times. */
  readonly isRefreshed: boolean;
  /** What an earlier poller observed and may not have sent. */
  readonly pending: PendingObservation | undefined;
  /** Since when it has been due. */
  readonly dueAt: Date;
  /** The most tokens of its claim, because the market failed for a request about more; undefined: as many as it takes. */
  readonly mostTokens: number | undefined;
};

/** Signals that one poller alone works on until its lease ends. */
export type Claim = {
  /** The lease's token. */
  readonly lease: string;
  /** The store's clock, in Unix milliseconds, when the signals were claimed. */
  readonly nowMs: number;
  /** DexScreener's name of the chain that all of their tokens are on; empty where it is not known. */
  readonly chain: string;
  readonly signals: readonly LeasedSignal[];
};

/** A change of a leased signal. What is absent stays as it is. */
export type LeasedChange = {
  readonly id: string;
  /** What the rules know from now on. */
  readonly state?: unknown;
  /** What the exit rule knows from now on. */
  readonly position?: unknown;
  /** What the answers said, from now on. */
  readonly seen?: SeenMarket;
  /** When the holders are asked about first. */
  readonly refreshAt?: Date | undefined;
  /** Null: the holders are in an observation. */
  readonly holders?: null;
  /** An observation to keep until it is sent; null: it was sent. */
  readonly pending?: PendingObservation | null;
  /** The most tokens of this signal's claims from now on; null: as many as the market takes. */
  readonly mostTokens?: number | null;
  /** Ends the lease. The signal is due then; without a time it is not followed any more. */
  readonly release?: { readonly dueAt: Date | undefined };
};

/** The signals that are followed, in the store. All methods throw SERVICE_UNAVAILABLE while the store is away. */
export type FollowedSignals = {
  /** In how many milliseconds a signal is due, 0 for now; undefined if none is followed. By the store's clock. */
  dueInMs(): Promise<number | undefined>;
  /**
   * Leases due signals, those that have been due for longest first: of the first one's chain, of as many tokens as one request
   * of the market takes and each signal's `mostTokens` allows, and as many signals as one request of the signals service takes.
   * Returns none when other pollers were first.
   */
  claim(leaseMs: number): Promise<Claim>;
  /**
   * Writes these changes, each only while the lease is held.
   * @returns the ids of those that were written.
   */
  write(lease: string, changes: readonly LeasedChange[]): Promise<ReadonlySet<string>>;
};
