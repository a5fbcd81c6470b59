import type { Distribution, RealizableStatistics, Statistics, StatisticsPoint } from '@sigcast/contracts';

/** An entry of the public log, as the record names it. */
export type RecordedEntry = { readonly index: number; readonly kind: string; readonly known_at: string };

/** The public log at a checkpoint: its name, the number of its entries, the root over them in base64, its newest entries. */
export type RecordedLog = {
  readonly origin: string;
  readonly entries: number;
  readonly root: string;
  readonly newest: readonly RecordedEntry[];
};

/** Statistics with all that they can include. */
export type WholeStatistics = Statistics & {
  readonly distribution: Distribution;
  readonly realizable: RealizableStatistics;
};

/** What anybody may see of all signals ever: the answers of `GET /v1/stats` and, by month, of `GET /v1/stats/series`. */
export type TrackRecord = {
  readonly statistics: WholeStatistics;
  /** Oldest first. */
  readonly months: readonly StatisticsPoint[];
  /** Null on a system that keeps no log; `away` while it can't be read. */
  readonly log: RecordedLog | null | 'away';
};
