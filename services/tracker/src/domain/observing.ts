import type { SignalStatus } from '@sigcast/contracts';

/** What the market's source said of a token at one instant. Amounts are in US dollars. */
export type MarketObservation =
  | {
      readonly kind: 'market';
      readonly observedAt: Date;
      readonly mcap: number;
      readonly liquidity: number;
      readonly volume24h: number;
    }
  /** The source knows no market of the token. */
  | { readonly kind: 'absent'; readonly observedAt: Date };

/** A signal as the rules see it. */
export type Followed = {
  readonly mcapEntry: number;
  readonly liquidityEntry: number;
  readonly createdAt: Date;
  readonly status: SignalStatus;
};

/** A status that a rule decided, and when the observations were made that it rests on, oldest first. */
export type Decision = {
  readonly status: 'winner' | 'dead' | 'rugged';
  readonly rule: 'v1';
  readonly observations: readonly Date[];
};

/**
 * Applies the rules to one more observation. `state` is what the last call returned for this signal, undefined at first.
 * It is plain data, stored between two calls.
 */
export type ApplyRules = (
  followed: Followed,
  state: unknown,
  observation: MarketObservation,
) => { readonly state: unknown; readonly decision?: Decision | undefined };
