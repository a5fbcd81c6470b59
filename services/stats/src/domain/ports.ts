import type { SignalType } from '@sigcast/contracts';
import type { DistributionTotals, TotalsByType } from '@sigcast/statistics';
import type { SignalFact } from './fact.ts';
import type { PositionsByType } from './realizable.ts';

/** Where facts are kept. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type FactStore = {
  /** Stores a fact unless a fact of the same signal with a higher `rev` is stored. Order and repetitions do not matter. */
  record(fact: SignalFact): Promise<void>;
};

/** Which signals a figure is of: created after an instant (absent: ever), up to and including another (absent: whenever). */
export type Selection = { readonly after?: Date | undefined; readonly until?: Date | undefined };

/** What may be asked for besides totals. */
type Included = {
  readonly distribution: ReadonlyMap<SignalType, DistributionTotals>;
  readonly realizable: PositionsByType;
};

/** The figures by type. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type StatisticsStore = {
  /**
   * Totals, and what is to be included. All are exact for the same `asOf`, an instant at most a second ago, or a minute where
   * the store can't keep up. The selection may depend on that instant. A type without signals is absent.
   *
   * Throws SERVICE_UNAVAILABLE also while something that is to be included is still being counted.
   */
  totals(
    select: (asOf: Date) => Selection,
    include?: readonly (keyof Included)[],
  ): Promise<{ readonly asOf: Date; readonly totals: TotalsByType } & Partial<Included>>;
};

/** The figures by interval. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type SeriesStore = {
  /**
   * Totals of each hour, day or week (UTC), by the start of the interval in Unix milliseconds; and totals of positions, where they
   * are to be included. Intervals without signals may be absent.
   */
  series(
    select: (asOf: Date) => Selection,
    intervalMs: number,
    include: { readonly realizable: boolean },
  ): Promise<{
    readonly asOf: Date;
    readonly series: ReadonlyMap<number, TotalsByType>;
    readonly realizable: ReadonlyMap<number, PositionsByType>;
  }>;
};
