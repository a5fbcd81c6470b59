import type { SignalType } from '@sigcast/client';
import { thresholds } from '../../api/thresholds.ts';
import { count, hours, limit, usd } from '../../ui/format.ts';

const part = (of: number) => limit(of * 100);

const awake = (days: string) => {
  const { volume_multiple, trades_multiple } = thresholds.awake;
  return `The pool is ${days} old, and moves again: in the last hour at least ${volume_multiple} times the volume and ${trades_multiple} times the trades of a mean hour of its day.`;
};

/** What a token has to be for a signal of each type, besides no trap. */
export const typeRules: Readonly<Record<SignalType, string>> = {
  new: `The pool is at most ${hours(thresholds.new.max_age_hours)} old, and had at least ${thresholds.new.min_buys_1h} buys in the last hour.`,
  '3d': awake('more than a day and at most 3 days'),
  '7d': awake('more than 3 and at most 7 days'),
  '30d': awake('more than 7 and at most 30 days'),
  wallet: `At least ${thresholds.wallet.min_buyers_1h} different wallets bought in the last hour, and their number is at least ${part(thresholds.wallet.min_buyers_share)} of the buys.`,
  premium: `The token is a signal of type New, 3 days, 7 days or 30 days by stricter limits: liquidity of at least ${usd(thresholds.premium.min_liquidity_usd)} and ${part(thresholds.premium.min_liquidity_share)} of the market cap, ${thresholds.premium.min_trades_1h} trades in the last hour, and at most ${part(thresholds.premium.max_top10_share)} held by the ten largest holders. Its holders are known, and that nobody can mint or freeze it or that buyers can sell.`,
};

/** What no token of a signal may be. */
export const trapRules: readonly string[] = [
  `Liquidity of less than ${usd(thresholds.traps.min_liquidity_usd)}, or less than ${part(thresholds.traps.min_liquidity_share)} of the market cap.`,
  `A market cap of more than ${usd(thresholds.traps.max_mcap_usd)}.`,
  `Fewer than ${thresholds.traps.min_trades_1h} trades in the last hour; sells that are less than ${part(thresholds.traps.min_sells_share)} or more than ${part(thresholds.traps.max_sells_share)} of them.`,
  `A price that rose by more than ${count(thresholds.traps.max_rise_1h_percent)}% in the last hour.`,
  `More than ${part(thresholds.traps.max_top10_share)} held by the ten largest holders.`,
  'A honeypot, or a token that somebody may make more of or freeze. What no source knows is no reason to refuse.',
];
