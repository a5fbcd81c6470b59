import type { SignalListItem, SignalStatus, SignalType } from '@sigcast/contracts';
import type { Answer } from './http.ts';

/** Which signals are listed. No types and no statuses mean all of them. */
export type SignalFilter = {
  readonly types: readonly SignalType[];
  readonly statuses: readonly SignalStatus[];
  readonly page: number;
};

/** Signals that were listed: which, and when they were asked for, on the clock of `performance.now()`. */
export type SignalPage = Answer<SignalListItem[]> & {
  readonly filter: SignalFilter;
  readonly askedAtMs: number;
};

export const signalsPerPage = 20;
