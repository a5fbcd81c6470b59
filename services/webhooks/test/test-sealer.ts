import { newSealKey, sealer, sealKeys } from '@sigcast/runtime';

/** The key that seals the secrets of tests. */
export const testKey = newSealKey(1);
export const testSealer = sealer(sealKeys.parse(testKey));
