import { type Recovery, SigcastError, type SignalType, type SubscribableEvent } from '@sigcast/contracts';

/** How far a recovery has come. */
export type RecoveryState = {
  readonly since: Date;
  /** A delivery that failed after this instant failed anew: the recovery leaves it alone. */
  readonly requestedAt: Date;
  readonly completedAt: Date | null;
  readonly retried: number;
  readonly opened: number;
  readonly failedDone: boolean;
  /** Where the next step goes on: behind a failed delivery, then behind an event; null at the beginning of either. */
  readonly cursor: string | null;
};

/** A recovery that this process alone works on until its lease expires. */
export type RecoveryClaim = {
  readonly token: string;
  readonly subscription: string;
  readonly account: string;
  readonly events: readonly SubscribableEvent[];
  readonly types: readonly SignalType[];
  /** Its filter in JSON; null for none. */
  readonly filter: string | null;
  readonly ordered: boolean;
  readonly createdAt: Date;
  readonly recovery: RecoveryState;
};

/** The progress after a step. `cursor`: where the next step goes on. */
type RecoveryProgress = {
  readonly retried: number;
  readonly opened: number;
  readonly failedDone: boolean;
  readonly cursor: string | null;
  readonly completedAt: Date | null;
};

/** `cursor`: where the next step goes on; null after the last one. */
type Step = { readonly cursor: string | null };

export type RecoveryStore = {
  /** Begins a recovery. Undefined when the subscription is disabled or deleted, or has a recovery that runs. */
  begin(subscription: string, since: Date): Promise<RecoveryClaim | undefined>;
  /** Claims a recovery whose lease has expired; undefined when there is none. */
  reclaimExpired(): Promise<RecoveryClaim | undefined>;
  /** Writes the progress and renews the lease. Returns false, and writes nothing, when the lease was lost. */
  advance(claim: RecoveryClaim, progress: RecoveryProgress): Promise<boolean>;
  /** Ends the lease, so that any process may claim the recovery. */
  release(claim: RecoveryClaim): Promise<void>;
  /** Makes failed deliveries due again, of the next `limit` ones. `retried`: how many this call changed. */
  retryFailed(claim: RecoveryClaim, after: string | null, limit: number): Promise<Step & { retried: number }>;
  /** Opens the missing deliveries of the next events, at most `limit` events. */
  openMissing(claim: RecoveryClaim, after: string | null, limit: number): Promise<Step & { opened: number }>;
};

/** Deliveries or events in one step: some 50 ms of work. */
const defaultBatch = 100;

type RecoveryDeps = {
  readonly store: RecoveryStore;
  readonly now: () => number;
  /** When to stop, in Unix milliseconds. */
  readonly untilMs: number;
  readonly batch?: number;
};

/**
 * Works on a recovery until it is complete or `untilMs` has come. Each step may be repeated: a delivery is made once, however
 * often it is opened, and a delivery that was made due is no longer failed. So another process can go on from the last
 * step that was written.
 *
 * @returns the state reached, or undefined when the lease was lost.
 */
export async function workOnRecovery(
  claim: RecoveryClaim,
  deps: RecoveryDeps,
): Promise<RecoveryState | undefined> {
  let state = claim.recovery;
  while (state.completedAt === null) {
    if (deps.now() >= deps.untilMs) {
      await deps.store.release(claim);
      return state;
    }
    const progress = await step(claim, state, deps);
    if (!(await deps.store.advance(claim, progress))) return undefined;
    state = { ...state, ...progress };
  }
  return state;
}

async function step(
  claim: RecoveryClaim,
  state: RecoveryState,
  { store, now, batch = defaultBatch }: RecoveryDeps,
): Promise<RecoveryProgress> {
  const { retried, opened, cursor } = state;
  if (!state.failedDone) {
    const done = await store.retryFailed(claim, cursor, batch);
    const failedDone = done.cursor === null;
    return { retried: retried + done.retried, opened, failedDone, cursor: done.cursor, completedAt: null };
  }
  const done = await store.openMissing(claim, cursor, batch);
  return {
    retried,
    opened: opened + done.opened,
    failedDone: true,
    cursor: done.cursor,
    completedAt: done.cursor === null ? new Date(now()) : null,
  };
}

/** The error when no recovery could begin. `disabled`: whether the webhook is disabled. */
export function recoveryRefused(disabled: boolean): SigcastError {
  return new SigcastError(
    'CONFLICT',
    disabled
      ? 'This webhook is disabled; enable it first, so that nothing is missed in between'
      : 'A recovery of this webhook is running; see its `recovery`',
  );
}

/** The recovery as its account sees it. */
export function toRecovery(state: RecoveryState): Recovery {
  return {
    since: state.since.toISOString(),
    status: state.completedAt === null ? 'running' : 'completed',
    retried: state.retried,
    opened: state.opened,
    requested_at: state.requestedAt.toISOString(),
    completed_at: state.completedAt?.toISOString() ?? null,
  };
}
