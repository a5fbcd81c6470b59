export * from './aggregates.ts';
export type { Amounts, DistributionSources, Distributions, Sums } from './distribution.ts';
export type { Counted, Figures, Measure, State } from './figures.ts';
export * from './keep-refreshing.ts';
export { type AggregateSource, type Dirty, dirtyIndex } from './source.ts';
