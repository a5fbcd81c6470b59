import { type BacktestParameters, isRetryable } from '@sigcast/contracts';
import { thinnedBefore } from '../thinning.ts';
import type { Found } from './result.ts';
import { type BacktestHistory, runBacktest } from './run-backtest.ts';

/** The length of a lease, in milliseconds: many times the pause between two writes of progress, which renew it. */
export const leaseMs = 30_000;
/** Between two writes of progress, in milliseconds. */
const progressMs = 1_000;
/** Before a backtest is tried again after the store was away, in milliseconds. */
const retryMs = 5_000;
/** Between two tries to give a backtest back while the store is away, in milliseconds. */
const giveBackEveryMs = 500;
/** When so many processes died while they worked on a backtest, it has failed: it may be what kills them. */
const mostTries = 3;

/** What users read of a backtest that could not be finished. */
const tooHard = 'The work could not be finished. Try a shorter time or fewer types';
const fault = 'The service made a mistake, which its operators can see. Try again later';

/** A backtest that a process works on, under a lease. */
export type LeasedBacktest = {
  readonly id: string;
  readonly parameters: BacktestParameters;
  /** The lease: no other process has the same one. */
  readonly lease: string;
  /** How many processes began to work on it, this one included, and did not say how that ended. */
  readonly tries: number;
  readonly createdAt: Date;
};

/** How a backtest ended. */
export type BacktestEnd = { readonly at: Date } & (Found | { readonly error: string });

/**
 * Backtests as a store of work. Methods that take a leased backtest return false, and do nothing, when its lease is lost. All
 * throw SERVICE_UNAVAILABLE while the store can't be reached.
 */
export type BacktestWork = {
  /** Leases the backtest that has waited longest, of those that are due. */
  lease(now: Date, until: Date): Promise<LeasedBacktest | undefined>;
  progress(leased: LeasedBacktest, done: number, until: Date): Promise<boolean>;
  /** Gives a backtest back, to be due at an instant. This try does not count. */
  giveBack(leased: LeasedBacktest, dueAt: Date): Promise<boolean>;
  finish(leased: LeasedBacktest, end: BacktestEnd): Promise<boolean>;
};

/** The lease was lost: the backtest was deleted, or this process was too slow. */
class LeaseLost extends Error {}
/** This process is about to end. */
class Stopping extends Error {}

export type BacktestWorkDeps = {
  readonly work: BacktestWork;
  readonly history: BacktestHistory;
  readonly now: () => Date;
  /** Waits; ends early, without an error, when `stopping` aborts. */
  readonly pause: (ms: number, stopping: AbortSignal) => Promise<void>;
};

/** How the work on a backtest ended. `error` is for the log. */
type WorkOutcome = {
  readonly id: string;
  readonly outcome: 'finished' | 'given back' | 'lease lost';
  readonly error?: unknown;
};

/**
 * Works on the backtest that has waited longest.
 * @param stopping when it aborts, the backtest is given back, for another process.
 * @returns the backtest's id and how the work ended; undefined where none is due. @throws what the store throws while it leases one.
 */
export async function workOnBacktest(
  { work, history, now, pause }: BacktestWorkDeps,
  stopping: AbortSignal,
): Promise<WorkOutcome | undefined> {
  const until = () => new Date(now().getTime() + leaseMs);
  const leased = await work.lease(now(), until());
  if (leased === undefined) return undefined;
  const { id, parameters, tries } = leased;
  const finish = async (end: Found | { readonly error: string }) =>
    (await work.finish(leased, { ...end, at: now() })) ? ('finished' as const) : ('lease lost' as const);
  try {
    if (tries > mostTries) {
      const error = new Error(`${mostTries} processes died with it`);
      return { id, outcome: await finish({ error: tooHard }), error };
    }
    let writtenMs = now().getTime();
    const progress = async (done: number) => {
      if (stopping.aborted) throw new Stopping();
      if (now().getTime() - writtenMs < progressMs) return;
      writtenMs = now().getTime();
      if (!(await work.progress(leased, done, until()))) throw new LeaseLost();
    };
    // At the end: what was thinned during the work may have been read before or after it was thinned.
    const hourlyBefore = () => thinnedBefore(now());
    const found = await runBacktest(history, parameters, { hourlyBefore, progress });
    return { id, outcome: await finish(found) };
  } catch (error) {
    if (error instanceof LeaseLost) return { id, outcome: 'lease lost' };
    const isTemporary = error instanceof Stopping || isRetryable(error);
    if (!isTemporary) return { id, outcome: await finish({ error: fault }), error };
    // It keeps its turn where only this process ends.
    const dueAt = error instanceof Stopping ? leased.createdAt : new Date(now().getTime() + retryMs);
    await keepGivingBack(
      () => work.giveBack(leased, dueAt),
      (ms) => pause(ms, stopping),
      stopping,
    );
    return { id, outcome: 'given back', error };
  }
}

/**
 * Tries until the store is there; otherwise each outage would count as a process that died.
 * @throws the store's last error when this process stops.
 */
async function keepGivingBack(
  giveBack: () => Promise<boolean>,
  pause: (ms: number) => Promise<void>,
  stopping: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await giveBack();
      return;
    } catch (error) {
      if (!isRetryable(error) || stopping.aborted) throw error;
      await pause(giveBackEveryMs);
    }
  }
}
