import type { SignalStatus, SignalType } from '@sigcast/contracts';
import type { SignalFact } from './fact.ts';
import type { Histogram } from './histogram.ts';
import type { PositionsByType } from './realizable.ts';

/** Where facts are kept. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type FactStore = {
  /** Stores a fact unless a fact of the same signal with a higher `rev` is stored. Order and repetitions do not matter. */
  record(fact: SignalFact): Promise<void>;
};

/** Which signals a figure is of: created after `from` (absent: ever), up to and including `to` (absent: whenever). */
export type Selection = { readonly from?: Date | undefined; readonly to?: Date | undefined };

/** Sums over the signals of one type; integers, so that they can be added up exactly. */
export type Totals = {
  readonly total: number;
  readonly winners: number;
  /** Sum of hundredths of a percent; it may exceed what a number holds exactly. */
  readonly roiSum: bigint;
  /** Hundredths of a percent. */
  readonly roiMax: number;
};

/** Totals by type. A type without signals is absent. */
export type TotalsByType = ReadonlyMap<SignalType, Totals>;

/** The figures by type. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type StatisticsStore = {
  /** Totals that are exact for `asOf`, an instant at most a second ago. The selection may depend on that instant. */
  totals(select: (asOf: Date) => Selection): Promise<{ readonly asOf: Date; readonly totals: TotalsByType }>;
};

/** How the signals of one type are distributed. */
export type DistributionTotals = {
  readonly byStatus: Readonly<Record<SignalStatus, number>>;
  readonly roi: Histogram;
  /** Of the signals whose all-time high is known. */
  readonly athRoi: Histogram;
  /** Sum of hundredths of hours, of the same signals. */
  readonly timeToAth: number;
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
