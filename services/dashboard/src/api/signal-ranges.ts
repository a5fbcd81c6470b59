import type { SignalListItem } from '@sigcast/client';
import { withoutThousands } from '../ui/format.ts';

/** The figures by which signals can be limited: the path of each in the API's conditions, and its value in a listed signal. */
const figures = {
  mcap_entry: ['metrics.mcap_entry', ({ metrics }: SignalListItem) => metrics.mcap_entry],
  roi: ['performance.roi', ({ performance }: SignalListItem) => performance.roi],
  ath_roi: ['performance.ath_roi', ({ performance }: SignalListItem) => performance.ath_roi],
  liquidity: ['metrics.liquidity', ({ metrics }: SignalListItem) => metrics.liquidity],
  holders: ['metrics.holders', ({ metrics }: SignalListItem) => metrics.holders],
} as const;
export type RangeFigure = keyof typeof figures;
export const rangeFigures = Object.keys(figures) as readonly RangeFigure[];

/** Between which numbers a figure is, both included. Null: without this limit. */
export type Limits = { readonly min: number | null; readonly max: number | null };
export type FigureRange = Limits & { readonly figure: RangeFigure };

const inAddress = /^(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?$/;

/** The ranges in the query of an address, such as `mcap_entry=50000..&roi=-50..100`. A wrong value counts as left out. */
export function rangesIn(query: URLSearchParams): FigureRange[] {
  return rangeFigures.flatMap((figure) => {
    const [, least, most] = inAddress.exec(query.get(figure) ?? '') ?? [];
    const [min, max] = [least, most].map((text) => (text === undefined ? null : Number(text)));
    if (min === undefined || max === undefined || (min === null && max === null)) return [];
    return min !== null && max !== null && min > max ? [] : [{ figure, min, max }];
  });
}

/** The parameters of an address for these ranges. */
export function rangeParameters(ranges: readonly FigureRange[]): string[] {
  return ranges.map(({ figure, min, max }) => `${figure}=${min ?? ''}..${max ?? ''}`);
}

/** The conditions of the API for these ranges. */
export function rangeConditions(ranges: readonly FigureRange[]): Record<string, object> {
  return Object.fromEntries(
    ranges.map(({ figure, min, max }) => [
      figures[figure][0],
      { ...(min !== null && { gte: min }), ...(max !== null && { lte: max }) },
    ]),
  );
}

/** Whether the figures of a signal are in all ranges. */
export function isInRanges(ranges: readonly FigureRange[], signal: SignalListItem): boolean {
  return ranges.every(({ figure, min, max }) => {
    const value = figures[figure][1](signal);
    return value >= (min ?? value) && value <= (max ?? value);
  });
}

const multiples: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };

/** The number that a typed text means, such as 50000, $50,000, 50k or 100%; null for an empty text, undefined for another one. */
export function amountIn(typed: string): number | null | undefined {
  const text = withoutThousands(typed.replace(/[\s$%]/g, '').replace('−', '-'));
  if (text === '') return null;
  const [, digits, unit = ''] = /^(-?\d*\.?\d+)([kmb]?)$/i.exec(text) ?? [];
  const amount = Math.round(Number(digits) * (multiples[unit.toLowerCase()] ?? 1) * 100) / 100;
  return Math.abs(amount) <= Number.MAX_SAFE_INTEGER ? amount : undefined;
}
