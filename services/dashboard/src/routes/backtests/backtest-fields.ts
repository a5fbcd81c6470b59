import type { BacktestParameters, BacktestSummary, CreateBacktest, SignalType } from '@sigcast/client';
import { withoutThousands } from '../../ui/format.ts';
import { localMinute, localTime } from '../../ui/local-time.ts';
import type { Filter } from '../filters/filter-rows.ts';

/** The content of a number field: a number, an empty text, or a text that is no number. */
export type Typed = number | string;

/** What was typed into a number field with a unit. */
export function typedOf(text: string, prefix: string, suffix: string): Typed {
  const plain = withoutThousands(text.replace(prefix, '').replace(suffix.trim(), '')).trim();
  return plain === '' || !Number.isFinite(Number(plain)) ? text.trim() : Number(plain);
}

/** What a number field with a unit shows. */
export function typedWords(typed: Typed, prefix: string, suffix: string): string {
  if (typeof typed === 'string') return typed;
  return `${prefix}${typed.toLocaleString('en-US', { maximumFractionDigits: 20 })}${suffix}`;
}

/** The content of the form. Times are values of `datetime-local` fields. */
export type BacktestFields = {
  readonly name: string;
  readonly since: string;
  readonly until: string;
  /** An empty list means all of them. */
  readonly types: readonly SignalType[];
  /** Null: premium signals and others. */
  readonly isPremium: boolean | null;
  readonly figures: Readonly<Record<FigureFilter, Typed>>;
  /** Conditions on the signal as it was created; undefined while one is not complete. */
  readonly filter: Filter | null | undefined;
  readonly delayMinutes: Typed;
  readonly sizeUsd: Typed;
  readonly target: Exit;
  readonly stop: Exit;
  readonly holdHours: Typed;
  readonly feePercent: Typed;
  readonly priceImpact: boolean;
  readonly asOf: string;
};

/** A market cap at which a backtest sells, as a multiple of that at the purchase, and whether it does. */
export type Exit = { readonly on: boolean; readonly times: Typed };

export const figureFilters = [
  'min_mcap',
  'max_mcap',
  'min_liquidity',
  'min_volume_24h',
  'min_holders',
] as const;
export type FigureFilter = (typeof figureFilters)[number];

/** The period that the form begins with: the last days whose observations are all kept. */
const usualDays = 30;
/** The API's defaults for the target and the stop. */
const usualTimes = { target: 2, stop: 0.5 } as const;
const allTypes = 6;

/** What the form begins with: the period above, and the API's defaults. */
export function usualFields(nowMs: number): BacktestFields {
  return {
    name: '',
    since: localMinute(nowMs - usualDays * 86_400_000),
    until: '',
    asOf: '',
    types: [],
    isPremium: null,
    figures: { min_mcap: '', max_mcap: '', min_liquidity: '', min_volume_24h: '', min_holders: '' },
    filter: null,
    delayMinutes: 1,
    sizeUsd: 100,
    holdHours: 168,
    feePercent: 1,
    priceImpact: true,
    target: { on: true, times: usualTimes.target },
    stop: { on: true, times: usualTimes.stop },
  };
}

/** Whether a backtest like this one, as of the same time, may buy something. Where no signal had a price, none will. */
export function mayBuy(result: BacktestSummary | null): boolean {
  return result === null || result.trades + result.not_bought.filtered > 0;
}

/**
 * The form for another backtest like this one, with the same "As of", so that both results can be compared; without it where there
 * was nothing to buy.
 */
export function fieldsOf(
  { filters, costs, ...rule }: BacktestParameters,
  result: BacktestSummary | null,
): BacktestFields {
  const { since, until, types, is_premium: isPremium, ...figures } = filters;
  return {
    // The new one is another backtest.
    name: '',
    since: localTime(Date.parse(since)),
    // For a backtest that left `until` out, the API stored the value of `as_of`.
    until: Date.parse(until) === Date.parse(rule.as_of) ? '' : localTime(Date.parse(until)),
    asOf: mayBuy(result) ? localTime(Date.parse(rule.as_of)) : '',
    types: types.length === allTypes ? [] : types,
    isPremium,
    figures: {
      min_mcap: figures.min_mcap ?? '',
      max_mcap: figures.max_mcap ?? '',
      min_liquidity: figures.min_liquidity ?? '',
      min_volume_24h: figures.min_volume_24h ?? '',
      min_holders: figures.min_holders ?? '',
    },
    filter: rule.filter,
    delayMinutes: rule.delay_minutes,
    sizeUsd: rule.size_usd,
    holdHours: rule.hold_hours,
    target: { on: rule.target !== null, times: rule.target ?? usualTimes.target },
    stop: { on: rule.stop !== null, times: rule.stop ?? usualTimes.stop },
    feePercent: costs.fee_percent,
    priceImpact: costs.price_impact,
  };
}

/** The body of the request. Wrong values are sent as they are: the API says what is wrong with them. */
export function bodyOf(fields: BacktestFields): CreateBacktest {
  const { name, since, until, asOf, types, isPremium, figures, target, stop } = fields;
  const body: object = {
    ...(name.trim() !== '' && { name }),
    filters: {
      ...(since !== '' && { since: instantOf(since) }),
      ...(until !== '' && { until: instantOf(until) }),
      ...(types.length > 0 && { types }),
      ...(isPremium !== null && { is_premium: isPremium }),
      ...Object.fromEntries(Object.entries(figures).filter(([, figure]) => figure !== '')),
    },
    ...(fields.filter && { filter: fields.filter }),
    delay_minutes: fields.delayMinutes,
    size_usd: fields.sizeUsd,
    hold_hours: fields.holdHours,
    target: target.on ? target.times : null,
    stop: stop.on ? stop.times : null,
    costs: { fee_percent: fields.feePercent, price_impact: fields.priceImpact },
    ...(asOf !== '' && { as_of: instantOf(asOf) }),
  };
  // The API checks what was typed.
  return body as CreateBacktest;
}

function instantOf(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}
