import type { UsageFigures, UsageView } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { usageParts } from '../src/routes/usage/usage-parts.ts';
import { byDay, byHour } from '../src/routes/usage/usage-points.ts';

const none: UsageFigures = { requests: 0, refused: 0, client_errors: 0, server_errors: 0 };

/** Two days; each has as many requests in the hour as the hour's number, up to the one given. */
function usage(lastHour: number): UsageView {
  const day = (date: string, last: number) => ({
    date,
    ...none,
    hours: Array.from({ length: 24 }, (_, hour) => ({ ...none, requests: hour <= last ? hour : 0 })),
  });
  return {
    limits: { requests_per_minute: 60, requests_per_day: 10_000 },
    today: { used: 0, remaining: 10_000, resets_at: '2026-01-03T00:00:00.000Z' },
    days: [day('2026-01-01', 23), day('2026-01-02', lastHour)],
  };
}

describe('the days', () => {
  it('have the requests of which the answers are shown, also where one counts as several in the limit', () => {
    const days = [{ ...none, date: '2026-01-02', hours: [], requests: 4, client_errors: 1 }];
    const today = { ...usage(2).today, used: 40 };
    expect(byDay({ ...usage(2), today, days })).toMatchObject([
      { requests: 4, answered: 3, clientErrors: 1 },
    ]);
  });
});

describe('what each key used', () => {
  const part = (name: string, requests: number, latency: number[]) => ({ ...none, name, requests, latency });
  const classes = (inClass: Record<number, number>) =>
    Array.from({ length: 12 }, (_, at) => inClass[at] ?? 0);

  it('is summed over the days, with the latencies of half and of 95% of its requests', () => {
    const [first, second] = ['2026-01-01', '2026-01-02'].map((date) => ({ ...none, date, hours: [] }));
    const view = {
      ...usage(2),
      days: [
        { ...first, parts: [part('slow', 10, classes({ 5: 10 })), part('none', 0, classes({}))] },
        { ...second, parts: [part('slow', 10, classes({ 11: 10 })), part('fast', 30, classes({ 0: 30 }))] },
      ],
    } as UsageView;
    expect(usageParts(view, undefined)).toMatchObject([
      { at: 'fast', requests: 30, p50: 2.5, p95: 4.75 },
      { at: 'slow', requests: 20, p50: 200, p95: 10_000 },
      { at: 'none', requests: 0, p50: undefined, p95: undefined },
    ]);
    expect(usageParts(view, '2026-01-01')).toMatchObject([{ at: 'slow', p50: 150 }, { at: 'none' }]);
  });

  it('is shown without latencies where an older service does not tell them', () => {
    const day = { ...none, date: '2026-01-01', hours: [], parts: [{ ...none, name: 'old', requests: 3 }] };
    const view = { ...usage(2), days: [day] } as unknown as UsageView;
    expect(usageParts(view, undefined)).toMatchObject([{ at: 'old', requests: 3, p50: undefined }]);
  });
});

describe('the hours of a day', () => {
  const now = new Date('2026-01-02T02:30:00.000Z');

  it('are all of them for a day that is over', () => {
    expect(byHour(usage(2), '2026-01-01', now).map(({ at }) => at)).toHaveLength(24);
  });

  it('end with the present one for today', () => {
    expect(byHour(usage(2), '2026-01-02', now).map(({ at }) => at)).toEqual(['00:00', '01:00', '02:00']);
  });

  it('keep what was counted when this clock is slow', () => {
    expect(byHour(usage(3), '2026-01-02', now).at(-1)).toMatchObject({ at: '03:00', answered: 3 });
  });

  it('can be shown for each listed day', () => {
    for (const { date } of byDay(usage(2))) expect(byHour(usage(2), date ?? '', now)).not.toEqual([]);
  });
});
