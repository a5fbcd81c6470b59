export { type Folding, startFolding } from './folding.ts';
export { openRollups, type Rollups } from './rollups.ts';
export { type Mark, type RollupSource, uncountedIndex } from './source.ts';
export type { Measure, TallyEntry } from './tally.ts';
