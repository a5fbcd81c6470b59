import type { Decision, Followed, MarketObservation } from '@sigcast/outcomes';

/**
 * Applies the rules to one more observation. `state` is what the last call returned for this signal, undefined at first.
 * It is plain data, stored between two calls.
 */
export type ApplyRules = (
  followed: Followed,
  state: unknown,
  observation: MarketObservation,
) => { readonly state: unknown; readonly decision?: Decision | undefined };
