export type { Followed, MarketObservation } from './observation.ts';
export { type Decision, defaultThresholds, readThresholds, rulesV1, type Thresholds } from './v1.ts';
