/** The thresholds of the rules `v1` by which the scanner makes signals. */
export const thresholds = {
  traps: {
    min_liquidity_usd: 10_000,
    min_liquidity_share: 0.02,
    max_mcap_usd: 1_000_000_000,
    max_rise_1h_percent: 900,
    min_trades_1h: 30,
    min_sells_share: 0.05,
    max_sells_share: 0.8,
    max_top10_share: 0.5,
  },
  new: { max_age_hours: 24, min_buys_1h: 50 },
  awake: { volume_multiple: 3, trades_multiple: 2 },
  wallet: { min_buyers_1h: 100, min_buyers_share: 0.85 },
  premium: {
    min_liquidity_usd: 50_000,
    min_liquidity_share: 0.05,
    min_trades_1h: 150,
    max_top10_share: 0.3,
  },
} as const;
