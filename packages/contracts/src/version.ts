/**
 * The version of the public contracts, by semantic versioning (semver.org): a major version may break clients, a minor version
 * adds. Events between services have versions of their own in their envelopes.
 */
export const contractsVersion = '1.0.0';
