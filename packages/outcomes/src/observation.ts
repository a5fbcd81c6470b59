import type { SignalStatus } from '@sigcast/contracts';

/** What the market said of a token. Amounts are US dollars. */
export type MarketObservation =
  | {
      readonly kind: 'market';
      readonly observedAt: Date;
      readonly mcap: number;
      readonly liquidity: number;
      readonly volume24h: number;
      /** It decides nothing, and neither begins nor continues a sequence: it only breaks those that it does not agree with. */
      readonly onlyBreaks?: boolean;
    }
  /** The source knows no market of the token. */
  | { readonly kind: 'absent'; readonly observedAt: Date };

/** The figures of a market at an instant. Amounts are US dollars. */
export type Figures = {
  /** Unix milliseconds. */
  readonly at: number;
  readonly mcap: number;
  readonly liquidity: number;
  readonly volume24h: number;
};

/** A signal that the rules are applied to. Amounts are US dollars, of when the signal was created. */
export type Followed = {
  readonly mcapEntry: number;
  readonly liquidityEntry: number;
  readonly createdAt: Date;
  readonly status: SignalStatus;
};

/** What a rule knows after an observation. */
export type Step<State> = {
  /** Absent where there is nothing to remember. Without members that are undefined, which stores change to null. */
  readonly state?: State;
  /** When the observations were made that the rule's decision rests on, Unix milliseconds, oldest first. */
  readonly basis?: readonly number[];
};
