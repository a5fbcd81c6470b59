import type { Followed } from './observation.ts';

/** The figures that the rules compare with. Amounts are US dollars; shares are parts of one. */
export type Thresholds = {
  readonly winner: {
    /** Market cap, in multiples of the entry's. */
    readonly multiple: number;
    readonly sustained_minutes: number;
    readonly min_liquidity_usd: number;
  };
  readonly rugged: {
    /** The most liquidity that is left of the high. */
    readonly remaining_share: number;
    /** How far back the high is looked for. */
    readonly window_minutes: number;
    readonly min_liquidity_usd: number;
    /** Observations in a row, the first included. */
    readonly confirmations: number;
  };
  readonly dead: {
    /** Market cap, as a share of the entry's. */
    readonly share: number;
    /** Observations in a row. */
    readonly confirmations: number;
    readonly silent_hours: number;
  };
};

/** What a rule compares an observation with: its thresholds, and the signal as it was created. */
export type Limits<Rule extends keyof Thresholds> = Thresholds[Rule] & Followed;

type Range = { readonly above?: number; readonly from?: number; readonly to: number; readonly whole?: true };
type Ranges = {
  readonly [Rule in keyof Thresholds]: { readonly [Name in keyof Thresholds[Rule]]: Range };
};

const dollars: Range = { from: 0, to: Number.MAX_SAFE_INTEGER };
const share: Range = { above: 0, to: 1 };
// A decision names ten observations at most, and that on `rugged` also the high.
const confirmations: Range = { from: 1, to: 9, whole: true };

const ranges: Ranges = {
  winner: {
    multiple: { above: 1, to: 1e6 },
    sustained_minutes: { above: 0, to: 1e6 },
    min_liquidity_usd: dollars,
  },
  // The state holds the highs of this time, so it is a day at most.
  rugged: {
    remaining_share: share,
    window_minutes: { above: 0, to: 1_440 },
    min_liquidity_usd: dollars,
    confirmations,
  },
  dead: { share, confirmations, silent_hours: { above: 0, to: 1e6 } },
};

/**
 * Reads the thresholds of rules.
 * @throws {Error} naming every field that is missing, unknown or out of its range.
 */
export function readThresholds(json: unknown): Thresholds {
  const problems = problemsOf(json, '', ranges, (rule, at, names) =>
    problemsOf(rule, `${at}.`, names as object, (value, field, range) =>
      problemOf(value, field, range as Range),
    ),
  );
  if (problems.length > 0) throw new Error(`The thresholds of the rules are wrong: ${problems.join('; ')}`);
  return json as Thresholds;
}

/** What is wrong with an object that must have exactly the members of `known`. */
function problemsOf(
  value: unknown,
  prefix: string,
  known: object,
  within: (member: unknown, field: string, expected: unknown) => readonly string[],
): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [`${prefix.slice(0, -1) || 'the whole'} must be an object`];
  }
  const members = new Map<string, unknown>(Object.entries(value));
  const unknown = [...members.keys()].filter((name) => !Object.hasOwn(known, name));
  return [
    ...Object.entries(known).flatMap(([name, expected]) =>
      within(members.get(name), prefix + name, expected),
    ),
    ...unknown.map((name) => `${prefix}${name} is not known`),
  ];
}

function problemOf(value: unknown, field: string, { above, from, to, whole }: Range): readonly string[] {
  const fits =
    typeof value === 'number' &&
    Number.isFinite(value) &&
    value <= to &&
    (above === undefined || value > above) &&
    (from === undefined || value >= from) &&
    (whole === undefined || Number.isInteger(value));
  const kind = whole === undefined ? 'a number' : 'a whole number';
  const low = above === undefined ? `from ${from}` : `above ${above}`;
  return fits ? [] : [`${field} must be ${kind} ${low} up to ${to}`];
}
