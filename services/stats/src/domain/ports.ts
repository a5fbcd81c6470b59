import type { SignalType } from '@sigcast/contracts';
import type { DistributionTotals, TotalsByType } from '@sigcast/statistics';
import type { SignalFact } from './fact.ts';
import type { PositionsByType } from './realizable.ts';

/** Where facts are kept. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type FactStore = {
  /** Stores a fact unless a fact of the same signal with a higher `rev` is stored. Order and repetitions do not matter. */
  record(fact: SignalFact): Promise<void>;
};

/** Which signals a figure is of: created after `from` (absent: ever), up to and including `to` (absent: whenever). */
export type Selection = { readonly from?: Date | undefined; readonly to?: Date | undefined };

/** The figures by type. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type StatisticsStore = {
  /** Totals that are exact for `asOf`, an instant at most a second ago, or a minute where the store can't keep up. The selection may depend on that instant. */
  totals(select: (asOf: Date) => Selection): Promise<{ readonly asOf: Date; readonly totals: TotalsByType }>;
};

/** What may be asked for besides totals. */
export type Included = {
  readonly distribution: ReadonlyMap<SignalType, DistributionTotals>;
  readonly realizable: PositionsByType;
};

/** The figures with distributions. */
export type DistributionStore = {
  /**
   * Totals with the distributions of these names, all exact for the same `asOf`. A type without signals is absent. Throws
   * SERVICE_UNAVAILABLE while the store can't be reached, or one of the distributions is still being counted.
   */
  distributions(
    names: readonly (keyof Included)[],
    select: (asOf: Date) => Selection,
  ): Promise<{ readonly asOf: Date; readonly totals: TotalsByType } & Partial<Included>>;
};

/** The figures by interval. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type SeriesStore = {
  /**
   * Totals of each hour or day (UTC) by its start in milliseconds, and those of positions where they are asked for. Intervals
   * without signals may be absent.
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
