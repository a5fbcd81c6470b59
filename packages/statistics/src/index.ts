export { type CountedSignal, startCount, withSignal } from './count-signals.ts';
export { type DistributionTotals, toDistribution } from './distribution.ts';
export { figuresOf, periodStart, type Totals, type TotalsByType, toStatistics } from './figures.ts';
export { addTo, bucketOf, type Histogram, percentilesOf } from './histogram.ts';
export { meanOf, percentOf } from './rounded.ts';
