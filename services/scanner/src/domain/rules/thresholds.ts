/** The figures that the rules compare with. Amounts in US dollars; shares are parts of one; multiples are of the day's hourly mean. */
export type Thresholds = {
  /** What no signal of any type may be. */
  readonly traps: {
    readonly min_liquidity_usd: number;
    /** Liquidity, as a share of the market cap. */
    readonly min_liquidity_share: number;
    readonly max_mcap_usd: number;
    readonly max_rise_1h_percent: number;
    /** Buys and sells of the last hour. */
    readonly min_trades_1h: number;
    /** Sells of the last hour, as a share of all trades: where nobody sells, perhaps nobody can. */
    readonly min_sells_share: number;
    readonly max_sells_share: number;
    readonly max_top10_share: number;
  };
  readonly new: { readonly max_age_hours: number; readonly min_buys_1h: number };
  /** When a token of some days moves again. */
  readonly awake: { readonly volume_multiple: number; readonly trades_multiple: number };
  readonly wallet: {
    readonly min_buyers_1h: number;
    /** Wallets that bought, as a share of the buys. */
    readonly min_buyers_share: number;
  };
  /** Stricter than the traps; besides, the risks have to be known. */
  readonly premium: {
    readonly min_liquidity_usd: number;
    readonly min_liquidity_share: number;
    readonly min_trades_1h: number;
    readonly max_top10_share: number;
  };
};
