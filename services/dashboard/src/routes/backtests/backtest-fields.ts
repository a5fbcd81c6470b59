import type { BacktestParameters, SignalType } from '@sigcast/contracts';
import { localMinute, localTime } from '../../ui/local-time.ts';

/** A number as it is typed; empty where nothing is, and a text where it is no number that can be computed with. */
export type Typed = number | string;

/** What the form holds. Times are as fields of local date and time have them. */
export type BacktestFields = {
  readonly since: string;
  readonly until: string;
  /** None are all of them. */
  readonly types: readonly SignalType[];
  /** Null: premium signals and others. */
  readonly isPremium: boolean | null;
  readonly figures: Readonly<Record<FigureFilter, Typed>>;
  readonly delayMinutes: Typed;
  readonly sizeUsd: Typed;
  readonly target: Exit;
  readonly stop: Exit;
  readonly holdHours: Typed;
  readonly feePercent: Typed;
  readonly priceImpact: boolean;
  readonly asOf: string;
};

/** A market cap at which is sold, in those of the purchase, and whether it is. */
export type Exit = { readonly on: boolean; readonly times: Typed };

export const figureFilters = [
  'min_mcap',
  'max_mcap',
  'min_liquidity',
  'min_volume_24h',
  'min_holders',
] as const;
export type FigureFilter = (typeof figureFilters)[number];

/** So far back a backtest goes unless something else is asked for: all observations of this time are kept. */
const usualDays = 30;
/** As in the contract, where each of them may be left out. */
const usualTimes = { target: 2, stop: 0.5 } as const;
const allTypes = 6;

/** What the form begins with: everything as the API has it where it is left out. */
export function usualFields(nowMs: number): BacktestFields {
  return {
    ...{ since: localMinute(nowMs - usualDays * 86_400_000), until: '', asOf: '' },
    ...{ types: [], isPremium: null },
    figures: { min_mcap: '', max_mcap: '', min_liquidity: '', min_volume_24h: '', min_holders: '' },
    ...{ delayMinutes: 1, sizeUsd: 100, holdHours: 168, feePercent: 1, priceImpact: true },
    target: { on: true, times: usualTimes.target },
    stop: { on: true, times: usualTimes.stop },
  };
}

/** The form for another backtest like one that was made. It knows as much as that one did, so that both can be compared. */
export function fieldsOf({ filters, costs, ...rule }: BacktestParameters): BacktestFields {
  const { since, until, types, is_premium: isPremium, ...figures } = filters;
  return {
    since: localTime(Date.parse(since)),
    // What was left out, the API stored as the end of what it knew.
    until: Date.parse(until) === Date.parse(rule.as_of) ? '' : localTime(Date.parse(until)),
    asOf: localTime(Date.parse(rule.as_of)),
    types: types.length === allTypes ? [] : types,
    isPremium,
    figures: {
      min_mcap: figures.min_mcap ?? '',
      max_mcap: figures.max_mcap ?? '',
      min_liquidity: figures.min_liquidity ?? '',
      min_volume_24h: figures.min_volume_24h ?? '',
      min_holders: figures.min_holders ?? '',
    },
    ...{ delayMinutes: rule.delay_minutes, sizeUsd: rule.size_usd, holdHours: rule.hold_hours },
    target: { on: rule.target !== null, times: rule.target ?? usualTimes.target },
    stop: { on: rule.stop !== null, times: rule.stop ?? usualTimes.stop },
    ...{ feePercent: costs.fee_percent, priceImpact: costs.price_impact },
  };
}

/** The body of the request. What can't be right is sent as it is: the API says what is wrong with it. */
export function bodyOf(fields: BacktestFields): object {
  const { since, until, asOf, types, isPremium, figures, target, stop } = fields;
  return {
    filters: {
      ...(since !== '' && { since: instantOf(since) }),
      ...(until !== '' && { until: instantOf(until) }),
      ...(types.length > 0 && { types }),
      ...(isPremium !== null && { is_premium: isPremium }),
      ...Object.fromEntries(Object.entries(figures).filter(([, figure]) => figure !== '')),
    },
    ...{ delay_minutes: fields.delayMinutes, size_usd: fields.sizeUsd, hold_hours: fields.holdHours },
    target: target.on ? target.times : null,
    stop: stop.on ? stop.times : null,
    costs: { fee_percent: fields.feePercent, price_impact: fields.priceImpact },
    ...(asOf !== '' && { as_of: instantOf(asOf) }),
  };
}

function instantOf(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}
