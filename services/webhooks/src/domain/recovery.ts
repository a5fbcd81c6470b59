import { type Recovery, SigcastError, type SignalType, type SubscribableEvent } from '@sigcast/contracts';

/** How far a recovery has come. */
export type RecoveryState = {
  readonly since: Date;
  /** What failed after this failed anew and is none of this recovery's business. */
  readonly requestedAt: Date;
  readonly completedAt: Date | null;
  readonly retried: number;
  readonly opened: number;
  readonly failedDone: boolean;
  /** The id of the last event looked at. */
  readonly cursor: string | null;
};

/** A recovery that this process alone works on, until its lease runs out. */
export type RecoveryClaim = {
  readonly token: string;
  readonly subscription: string;
  readonly account: string;
  readonly events: readonly SubscribableEvent[];
  readonly types: readonly SignalType[];
  readonly ordered: boolean;
  readonly createdAt: Date;
  readonly recovery: RecoveryState;
};

/** What a step has done. `cursor` is where the next one goes on. */
export type RecoveryProgress = {
  readonly retried: number;
  readonly opened: number;
  readonly failedDone: boolean;
  readonly cursor: string | null;
  readonly completedAt: Date | null;
};

export type RecoveryStore = {
  /** Begins a recovery, unless the subscription is disabled, has one running, or is gone. */
  begin(subscription: string, since: Date): Promise<RecoveryClaim | undefined>;
  /** Takes up a recovery that nobody works on. */
  takeUp(): Promise<RecoveryClaim | undefined>;
  /** Writes a step and renews the lease. False when the lease is another's by now: leave it to them. */
  advance(claim: RecoveryClaim, progress: RecoveryProgress): Promise<boolean>;
  /** Lets the recovery go, for whoever comes next. */
  letGo(claim: RecoveryClaim): Promise<void>;
  /** Makes some failed deliveries due again, at most `limit`. Returns how many there were to do. */
  retryFailed(claim: RecoveryClaim, limit: number): Promise<{ found: number; retried: number }>;
  /** Opens the deliveries missing for the next events after one, at most `limit` events. */
  openMissing(
    claim: RecoveryClaim,
    after: string | null,
    limit: number,
  ): Promise<{ opened: number; cursor: string | null; more: boolean }>;
};

/** Deliveries or events in one step: some 50 ms of work. */
const defaultBatch = 100;

export type RecoveryDeps = {
  readonly store: RecoveryStore;
  readonly now: () => number;
  /** When the time is up, in Unix milliseconds. */
  readonly untilMs: number;
  readonly batch?: number;
};

/**
 * Works on a recovery until it is complete or the time is up. Each step may be repeated: a delivery is there once
 * whoever opens it, and what was made due again has not failed any more. So a process that dies leaves a recovery that
 * another one takes up at the last step written.
 *
 * @returns the state reached, or undefined when another process has taken it over.
 */
export async function workOnRecovery(
  claim: RecoveryClaim,
  deps: RecoveryDeps,
): Promise<RecoveryState | undefined> {
  let state = claim.recovery;
  while (state.completedAt === null) {
    if (deps.now() >= deps.untilMs) {
      await deps.store.letGo(claim);
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
    const done = await store.retryFailed(claim, batch);
    const failedDone = done.found < batch;
    return { retried: retried + done.retried, opened, failedDone, cursor, completedAt: null };
  }
  const done = await store.openMissing(claim, cursor, batch);
  return {
    retried,
    opened: opened + done.opened,
    failedDone: true,
    cursor: done.cursor,
    completedAt: done.more ? null : new Date(now()),
  };
}

/** Why no recovery could begin. */
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
