import type { SignalType } from '@sigcast/contracts';
import type { DistributionTotals, TotalsByType } from '@sigcast/statistics';
import type { SignalFact } from './fact.ts';

/** Where facts are kept. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type FactStore = {
  /** Stores a fact unless a fact of the same signal with a higher `rev` is stored. Order and repetitions do not matter. */
  record(fact: SignalFact): Promise<void>;
};

/** Which signals a figure is of: created after `from` (absent: ever), up to and including `to` (absent: whenever). */
export type Selection = { readonly from?: Date | undefined; readonly to?: Date | undefined };

/** The figures by type. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type StatisticsStore = {
  /** Totals that are exact for `asOf`, an instant at most a second ago. The selection may depend on that instant. */
  totals(select: (asOf: Date) => Selection): Promise<{ readonly asOf: Date; readonly totals: TotalsByType }>;
};

/** The figures with distributions. */
export type DistributionStore = {
  /** A type without signals is absent. Throws SERVICE_UNAVAILABLE while the store can't be reached, or distributions are still being counted. */
  distributions(select: (asOf: Date) => Selection): Promise<{
    readonly asOf: Date;
    readonly totals: TotalsByType;
    readonly distributions: ReadonlyMap<SignalType, DistributionTotals>;
  }>;
};

/** The figures by interval. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type SeriesStore = {
  /** Totals of each hour or day (UTC) by its start in milliseconds. Intervals without signals may be absent. */
  series(
    select: (asOf: Date) => Selection,
    intervalMs: number,
  ): Promise<{ readonly asOf: Date; readonly series: ReadonlyMap<number, TotalsByType> }>;
};
