import type { UsageFigures, UsageView } from '@sigcast/contracts';
import { shortDate } from '../../ui/format.ts';

/** The requests of one hour or day by their result. */
export type UsagePoint = {
  readonly at: string;
  /** The date of a day, whose hours can be shown; undefined for an hour. */
  readonly date?: string;
  /** Requests within the limits: the sum of the next three numbers. */
  readonly requests: number;
  readonly answered: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly refused: number;
};

export function byDay({ days }: UsageView): UsagePoint[] {
  return days.map((day) => ({ ...usagePoint(shortDate(day.date), day), date: day.date }));
}

/** The hours of a day, UTC, without future ones. */
export function byHour({ days }: UsageView, date: string, now: Date): UsagePoint[] {
  const { hours = [] } = days.find((day) => day.date === date) ?? {};
  const hoursBegun = date === utcDate(now) ? now.getUTCHours() + 1 : hours.length;
  return hours
    .map((figures, hour) => usagePoint(`${String(hour).padStart(2, '0')}:00`, figures))
    .filter((at, hour) => hour < hoursBegun || sentIn(at) > 0);
}

/** All requests that were sent, also those that were refused. */
export function sentIn({ requests, refused }: UsagePoint): number {
  return requests + refused;
}

const utcDate = (instant: Date) => instant.toISOString().slice(0, 10);

/** Figures of the API as they are shown. `at`: an hour, a day, a key or a path. */
export function usagePoint(at: string, figures: UsageFigures): UsagePoint {
  const { requests, refused, client_errors: clientErrors, server_errors: serverErrors } = figures;
  return {
    at,
    requests,
    answered: Math.max(0, requests - clientErrors - serverErrors),
    clientErrors,
    serverErrors,
    refused,
  };
}
