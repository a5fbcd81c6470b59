import type { UsageFigures, UsageView } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
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
  it('have as many requests today as count against the limit, also unfinished ones', () => {
    const { days, ...rest } = usage(2);
    const today = { ...rest.today, used: 5 };
    expect(
      byDay({ ...rest, today, days: [{ ...none, date: '2026-01-02', hours: [], requests: 4 }] }),
    ).toEqual([expect.objectContaining({ requests: 5, answered: 4 })]);
    expect(byDay({ ...rest, today, days }).map(({ requests }) => requests)).toEqual([0, 5]);
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
