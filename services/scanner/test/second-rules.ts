// The rules a second time, written from docs/figures.md, to compare the scanner's with: one table of predicates over numbers, of
// which NaN is unknown, read from the sources' JSON by its own reader.
import { type SignalType, signalTypes } from '@sigcast/contracts';
import type { Thresholds } from '../src/domain/rules/thresholds.ts';

/** What is known of a token. NaN and undefined are unknown. */
export type Figures = {
  readonly mcap: number;
  readonly liquidity: number;
  readonly hours: number;
  readonly volume1h: number;
  readonly volume24h: number;
  readonly buys: number;
  readonly sells: number;
  readonly trades24h: number;
  readonly change: number;
  readonly buyers: number;
  readonly top10: number;
  readonly honeypot?: boolean | undefined;
  readonly mintable?: boolean | undefined;
  readonly freezable?: boolean | undefined;
};

type Row = readonly [
  reason: string,
  types: readonly SignalType[],
  refuses: (token: Figures & { readonly trades: number }, limits: Thresholds) => boolean,
];

const bands = [
  ['new', (limits: Thresholds) => limits.new.max_age_hours],
  ['3d', () => 3 * 24],
  ['7d', () => 7 * 24],
  ['30d', () => 30 * 24],
] as const;
const byAge = bands.map(([type]) => type);
const old = byAge.slice(1);

/** Whether an age is of a type: up to its limit, and above the next lower limit of another type. */
const isOfBand = (type: SignalType, hours: number, limits: Thresholds) => {
  const upper = bands.find(([name]) => name === type)?.[1](limits) ?? 0;
  const lower =
    type === 'new' ? [] : bands.map(([, limit]) => limit(limits)).filter((limit) => limit < upper);
  return hours <= upper && lower.every((limit) => hours > limit);
};

const traps: readonly Row[] = [
  ['no_market', signalTypes, ({ mcap, liquidity }) => !(mcap > 0 && liquidity >= 0)],
  ['age_unknown', signalTypes, ({ hours }) => Number.isNaN(hours)],
  ['implausible_cap', signalTypes, ({ mcap }, { traps: { max_mcap_usd } }) => mcap > max_mcap_usd],
  [
    'low_liquidity',
    signalTypes,
    ({ liquidity }, { traps: { min_liquidity_usd } }) => liquidity < min_liquidity_usd,
  ],
  [
    'thin_liquidity',
    signalTypes,
    (token, limits) => token.liquidity < limits.traps.min_liquidity_share * token.mcap,
  ],
  ['few_trades', signalTypes, ({ trades }, { traps: { min_trades_1h } }) => trades < min_trades_1h],
  ['nobody_sells', signalTypes, (token, limits) => token.sells < limits.traps.min_sells_share * token.trades],
  ['sold_off', signalTypes, (token, limits) => token.sells > limits.traps.max_sells_share * token.trades],
  ['jump', signalTypes, ({ change }, { traps: { max_rise_1h_percent } }) => change > max_rise_1h_percent],
  ['concentrated', signalTypes, ({ top10 }, { traps: { max_top10_share } }) => top10 > max_top10_share],
  ['honeypot', signalTypes, ({ honeypot }) => honeypot === true],
  ['mintable', signalTypes, ({ mintable }) => mintable === true],
  ['freezable', signalTypes, ({ freezable }) => freezable === true],
];

const others: readonly Row[] = [
  ...byAge.map((type): Row => ['other_age', [type], ({ hours }, limits) => !isOfBand(type, hours, limits)]),
  ['few_buys', ['new'], ({ buys }, limits) => buys < limits.new.min_buys_1h],
  [
    'asleep',
    old,
    ({ volume1h, volume24h }, limits) => volume1h * 24 < limits.awake.volume_multiple * volume24h,
  ],
  [
    'asleep',
    old,
    ({ volume1h, volume24h, trades, trades24h }) => !(volume24h > volume1h && trades24h > trades),
  ],
  ['asleep', old, ({ trades, trades24h }, limits) => trades * 24 < limits.awake.trades_multiple * trades24h],
  ['buyers_unknown', ['wallet'], ({ buyers, buys }) => !(buyers <= buys)],
  ['few_buyers', ['wallet'], ({ buyers }, limits) => buyers < limits.wallet.min_buyers_1h],
  ['few_buyers', ['wallet'], ({ buyers, buys }, limits) => buyers < limits.wallet.min_buyers_share * buys],
  ['risks_unknown', ['premium'], ({ top10 }) => Number.isNaN(top10)],
  [
    'risks_unknown',
    ['premium'],
    (token) => token.honeypot !== false && (token.mintable ?? token.freezable ?? true),
  ],
  [
    'risks_unknown',
    ['premium'],
    ({ honeypot, mintable, freezable }) =>
      honeypot === undefined && (mintable === undefined || freezable === undefined),
  ],
  [
    'not_premium',
    ['premium'],
    (token, limits) => byAge.every((type) => reasonOf(type, token, limits, others) !== ''),
  ],
  [
    'not_premium',
    ['premium'],
    (token, limits) => {
      const strict = { ...limits, traps: { ...limits.traps, ...limits.premium } };
      return traps.some(([, , refuses]) => refuses(token, strict));
    },
  ],
];

function reasonOf(
  type: SignalType,
  token: Parameters<Row[2]>[0],
  limits: Thresholds,
  rows: readonly Row[],
): string {
  return rows.find(([, types, refuses]) => types.includes(type) && refuses(token, limits))?.[0] ?? '';
}

const or0 = (value: number) => (Number.isNaN(value) ? 0 : value);

/** For each type the first reason to refuse a token; the empty text where it is a signal of the type. */
export function secondVerdict(token: Figures, limits: Thresholds): Readonly<Record<SignalType, string>> {
  const counted = {
    ...token,
    buys: or0(token.buys),
    sells: or0(token.sells),
    trades: or0(token.buys) + or0(token.sells),
    trades24h: or0(token.trades24h),
    volume1h: or0(token.volume1h),
    volume24h: or0(token.volume24h),
  };
  const reasons = signalTypes.map((type) => [type, reasonOf(type, counted, limits, [...traps, ...others])]);
  return Object.fromEntries(reasons) as Record<SignalType, string>;
}

type Json = Readonly<Record<string, unknown>>;
const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((found, name) => (found as Json | null | undefined)?.[name], value);
const number = (value: unknown) =>
  typeof value === 'number' && value >= 0 && value < 2 ** 53 ? value : Number.NaN;
const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** What answers of both sources say of one token, with its names. Undefined: no pair of it has a market. */
export function secondFigures({
  pairs,
  info,
  buyers,
  atMs,
}: {
  /** All pairs in which it is the base token, as DexScreener has them. */
  readonly pairs: readonly unknown[];
  /** GeckoTerminal's answer about it; undefined where it does not know the token. */
  readonly info?: unknown;
  readonly buyers?: number | undefined;
  readonly atMs: number;
}): (Figures & { readonly symbol: string; readonly name: string }) | undefined {
  const mcapOf = (pair: unknown) => number(at(pair, 'marketCap') ?? at(pair, 'fdv'));
  const liquidityOf = (pair: unknown) => number(at(pair, 'liquidity', 'usd'));
  const usable = pairs.filter((pair) => mcapOf(pair) > 0 && liquidityOf(pair) >= 0);
  const deepest = Math.max(...usable.map(liquidityOf));
  const pair = usable.find((each) => liquidityOf(each) === deepest);
  if (pair === undefined) return undefined;
  const births = pairs.map((each) => number(at(each, 'pairCreatedAt'))).filter((ms) => ms >= 0);
  const counts = (span: string) => [
    number(at(pair, 'txns', span, 'buys')),
    number(at(pair, 'txns', span, 'sells')),
  ];
  const [[buys = 0, sells = 0], day] = [counts('h1'), counts('h24')];
  const change = at(pair, 'priceChange', 'h1');
  const facts = at(info, 'data', 'attributes');
  const percent = at(facts, 'holders', 'distribution_percentage', 'top_10');
  const share = typeof percent === 'string' && percent !== '' ? Number(percent) / 100 : Number.NaN;
  const authority = (name: string) => (text(at(facts, name)) === '' ? undefined : at(facts, name) !== 'no');
  const trial = at(facts, 'is_honeypot');
  const areCounted = !Number.isNaN(buys + sells);
  return {
    symbol: text(at(pair, 'baseToken', 'symbol')),
    name: text(at(pair, 'baseToken', 'name')),
    mcap: mcapOf(pair),
    liquidity: deepest,
    hours: births.length === 0 ? Number.NaN : Math.max(0, atMs - Math.min(...births)) / 3_600_000,
    volume1h: number(at(pair, 'volume', 'h1') ?? 0),
    volume24h: number(at(pair, 'volume', 'h24') ?? 0),
    buys: areCounted ? buys : Number.NaN,
    sells: areCounted ? sells : Number.NaN,
    trades24h: day.reduce((sum, count) => sum + count, 0),
    change: typeof change === 'number' ? change : Number.NaN,
    buyers: buyers ?? Number.NaN,
    top10: share <= 1 ? share : Number.NaN,
    honeypot: typeof trial === 'boolean' ? trial : trial === 'yes' || (trial === 'no' ? false : undefined),
    mintable: authority('mint_authority'),
    freezable: authority('freeze_authority'),
  };
}

/** Whether the signals service takes a token's names and counts. */
export function isSendable({
  symbol,
  name,
  buys,
  sells,
}: NonNullable<ReturnType<typeof secondFigures>>): boolean {
  const isClean = (given: string, most: number) =>
    given.length > 0 &&
    given.length <= most &&
    !/[\p{Cc}\p{Bidi_Control}\u200b-\u200d\u2060\ufeff]/u.test(given);
  const isCount = (count: number) => Number.isNaN(count) || Number.isInteger(count);
  return isClean(symbol, 40) && isClean(name || symbol, 100) && isCount(buys) && isCount(sells);
}
