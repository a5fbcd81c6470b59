import type { ListedSignal, SignalHistory } from '@sigcast/contracts';

/** A signal that is decided and whose order is sold, as the page for strangers shows it. */
export type TracedSignal = {
  readonly signal: ListedSignal;
  readonly history: SignalHistory;
  /** The numbers of its entries in the public log, of which there are none on a system without a log. */
  readonly entries: readonly number[];
};
