import { type SignalType, signalTypes } from '@sigcast/contracts';
import { ageHours, type Observation } from '../observation.ts';
import type { Thresholds } from './thresholds.ts';
import v1 from './v1.json' with { type: 'json' };

/** The published thresholds of the rules `v1`. */
export const defaultThresholds: Thresholds = v1;

/** Why a token is no signal of a type. */
export const reasons = [
  'no_market',
  'age_unknown',
  'implausible_cap',
  'low_liquidity',
  'thin_liquidity',
  'few_trades',
  'nobody_sells',
  'sold_off',
  'jump',
  'concentrated',
  'honeypot',
  'mintable',
  'freezable',
  'other_age',
  'few_buys',
  'asleep',
  'buyers_unknown',
  'few_buyers',
  'risks_unknown',
  'not_premium',
  'bad_name',
  'cooling_down',
] as const;
export type Reason = (typeof reasons)[number];

/** The types of signal that a token is now, and for each other type the first rule that says no. */
export type Verdict = {
  readonly types: readonly SignalType[];
  readonly refusals: { readonly [Type in SignalType]?: Reason };
};

/** Hours of age up to which a token that moves again is of each type; from the limit of the one before. */
const awakeTypes = { '3d': 72, '7d': 168, '30d': 720 } as const;

/**
 * Judges a token by the rules `v1`: no I/O, no clock. Where a source does not know a risk, the token is not refused for it, but is
 * not premium.
 */
export function judge(observation: Observation, thresholds: Thresholds): Verdict {
  const trap = trapOf(observation, thresholds.traps);
  const reasonOf = (type: SignalType) => trap ?? typeReason[type](observation, thresholds);
  const judged = signalTypes.map((type) => [type, reasonOf(type)] as const);
  return {
    types: judged.flatMap(([type, reason]) => (reason === undefined ? [type] : [])),
    refusals: Object.fromEntries(judged.filter(([, reason]) => reason !== undefined)),
  };
}

/** The first trap that the token is. */
function trapOf(token: Observation, limits: Thresholds['traps']): Reason | undefined {
  const { mcap, liquidity, buys1h = 0, sells1h = 0, change1h = 0, top10Share = 0 } = token;
  const trades = buys1h + sells1h;
  if (!mcap || liquidity === undefined) return 'no_market';
  if (ageHours(token) === undefined) return 'age_unknown';
  if (mcap > limits.max_mcap_usd) return 'implausible_cap';
  if (liquidity < limits.min_liquidity_usd) return 'low_liquidity';
  if (liquidity < mcap * limits.min_liquidity_share) return 'thin_liquidity';
  if (trades < limits.min_trades_1h) return 'few_trades';
  if (sells1h < trades * limits.min_sells_share) return 'nobody_sells';
  if (sells1h > trades * limits.max_sells_share) return 'sold_off';
  if (change1h > limits.max_rise_1h_percent) return 'jump';
  if (top10Share > limits.max_top10_share) return 'concentrated';
  if (token.isHoneypot) return 'honeypot';
  if (token.isMintable) return 'mintable';
  return token.isFreezable ? 'freezable' : undefined;
}

type TypeRule = (token: Observation, thresholds: Thresholds) => Reason | undefined;

const awake =
  (type: keyof typeof awakeTypes): TypeRule =>
  (token, { new: { max_age_hours }, awake: { volume_multiple, trades_multiple } }) => {
    const age = ageHours(token) ?? 0;
    const limits = [max_age_hours, ...Object.values(awakeTypes)];
    const until = awakeTypes[type];
    const from = Math.max(...limits.filter((hours) => hours < until));
    if (age <= from || age > until) return 'other_age';
    const { volume1h = 0, volume24h = 0, buys1h = 0, sells1h = 0, trades24h = 0 } = token;
    // A pool whose day is its hour is new, however old the token is, and shows nothing of its days before.
    const hasDay = volume24h > volume1h && trades24h > buys1h + sells1h;
    const moves =
      volume1h * 24 >= volume24h * volume_multiple && (buys1h + sells1h) * 24 >= trades24h * trades_multiple;
    return hasDay && moves ? undefined : 'asleep';
  };

const isNew: TypeRule = (token, { new: { max_age_hours, min_buys_1h } }) => {
  if ((ageHours(token) ?? 0) > max_age_hours) return 'other_age';
  return (token.buys1h ?? 0) < min_buys_1h ? 'few_buys' : undefined;
};

const wallet: TypeRule = ({ buyers1h, buys1h = 0 }, { wallet: { min_buyers_1h, min_buyers_share } }) => {
  // More buyers than purchases are those of another pool.
  if (buyers1h === undefined || buyers1h > buys1h) return 'buyers_unknown';
  return buyers1h < min_buyers_1h || buyers1h < buys1h * min_buyers_share ? 'few_buyers' : undefined;
};

/**
 * A token that is of a type by its age, by stricter limits, and of which the risks are known: its holders, and whether buyers can
 * sell. Of that, sources know the authorities on some chains (Solana), and a trial of a sale on others.
 */
const premium: TypeRule = (token, thresholds) => {
  const { isHoneypot, isMintable, isFreezable, top10Share } = token;
  const hasNoAuthority = isMintable === false && isFreezable === false;
  if (top10Share === undefined || !(hasNoAuthority || isHoneypot === false)) return 'risks_unknown';
  const strict = { ...thresholds.traps, ...thresholds.premium };
  const byAge = [isNew, awake('3d'), awake('7d'), awake('30d')];
  const isOfAType = byAge.some((rule) => rule(token, thresholds) === undefined);
  return trapOf(token, strict) === undefined && isOfAType ? undefined : 'not_premium';
};

const typeReason: Readonly<Record<SignalType, TypeRule>> = {
  new: isNew,
  '3d': awake('3d'),
  '7d': awake('7d'),
  '30d': awake('30d'),
  wallet,
  premium,
};
