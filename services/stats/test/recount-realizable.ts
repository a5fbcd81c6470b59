import {
  type Percentiles,
  type RealizablePoint,
  type RealizableStatistics,
  signalTypes,
  type TypeRealizableStatistics,
} from '@sigcast/contracts';
import { expect } from 'vitest';
import { exits } from '../src/domain/fact.ts';
import type { Revision } from './events.ts';
import { choose, expectPercentiles, hundredths, type Query } from './recount.ts';

/** Expects figures of positions to equal those of a history: exactly, but for percentiles within 0.5 %. */
export function expectRealizable(
  shown: RealizableStatistics | undefined,
  history: readonly Revision[],
  query: Query,
): void {
  const chosen = choose(history, query);
  const types = query.type === undefined ? signalTypes : [query.type];
  const { rule, by_type, ...all } = shown ?? { rule: 'none', by_type: {} };
  expect(rule).toBe('v1');
  expectPositions(all, chosen);
  expect(Object.keys(by_type)).toEqual(types);
  for (const type of types) {
    expectPositions(
      by_type[type] ?? {},
      chosen.filter((revision) => revision.type === type),
    );
  }
}

/** The figures of positions in a point of a series. */
export function recountPoint(history: readonly Revision[], query: Query): RealizablePoint {
  const rois = roisOf(choose(history, query));
  return { signals: rois.length, avg_roi: mean(rois) };
}

function expectPositions(
  { roi, ...exact }: Partial<TypeRealizableStatistics> & { readonly roi?: Percentiles },
  chosen: readonly Revision[],
) {
  const rois = roisOf(chosen);
  const countOf = (wanted: string) => chosen.filter(({ realizable }) => realizable?.exit === wanted).length;
  expect(exact).toEqual({
    signals: rois.length,
    avg_roi: mean(rois),
    profitable: hundredths(BigInt(rois.filter((each) => each > 0).length) * 10_000n, rois.length),
    by_exit: Object.fromEntries(exits.map((exit) => [exit, countOf(exit)])),
  });
  expectPercentiles(roi, rois);
}

function roisOf(chosen: readonly Revision[]): number[] {
  return chosen.flatMap(({ realizable }) => realizable?.roi ?? []);
}

function mean(rois: readonly number[]): number {
  return hundredths(
    rois.reduce((sum, roi) => sum + BigInt(roi), 0n),
    rois.length,
  );
}
