export { breakingChanges } from './breaking-changes.ts';
export { type Contracts, presentContracts } from './present.ts';
export { newestRelease, recordRelease } from './releases.ts';
