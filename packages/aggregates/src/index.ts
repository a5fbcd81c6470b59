export * from './aggregates.ts';
export type { Figures, Measure, State } from './figures.ts';
export * from './keep-refreshing.ts';
export { type AggregateSource, type Dirty, dirtyIndex } from './source.ts';
