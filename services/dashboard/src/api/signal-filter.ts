import type { SignalStatus, SignalType } from '@sigcast/contracts';

/** Which signals are listed. No types and no statuses mean all of them. */
export type SignalFilter = {
  readonly types: readonly SignalType[];
  readonly statuses: readonly SignalStatus[];
  readonly page: number;
};

export const signalsPerPage = 20;
