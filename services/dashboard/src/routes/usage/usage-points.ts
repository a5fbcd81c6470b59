import type { UsageFigures, UsageView } from '@sigcast/contracts';
import { shortDate } from '../../ui/format.ts';

/** What became of the requests of one hour or day: each is counted in one of the figures. */
export type UsagePoint = {
  readonly at: string;
  /** The date of a day, whose hours can be shown; undefined for an hour. */
  readonly date?: string;
  readonly answered: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly refused: number;
};

export function byDay({ days }: UsageView): UsagePoint[] {
  return days.map((day) => ({ ...point(shortDate(day.date), day), date: day.date }));
}

/** The hours of a day, UTC, without those that are to come. */
export function byHour({ days }: UsageView, date: string, now: Date): UsagePoint[] {
  const { hours = [] } = days.find((day) => day.date === date) ?? {};
  const hoursBegun = date === utcDate(now) ? now.getUTCHours() + 1 : hours.length;
  return hours
    .map((figures, hour) => point(`${String(hour).padStart(2, '0')}:00`, figures))
    .filter((at, hour) => hour < hoursBegun || requestsOf(at) > 0);
}

/** All requests that were sent, refused ones too. */
export function requestsOf({ answered, clientErrors, serverErrors, refused }: UsagePoint): number {
  return answered + clientErrors + serverErrors + refused;
}

const utcDate = (instant: Date) => instant.toISOString().slice(0, 10);

function point(at: string, figures: UsageFigures): UsagePoint {
  const { requests, refused, client_errors: clientErrors, server_errors: serverErrors } = figures;
  return {
    at,
    answered: Math.max(0, requests - clientErrors - serverErrors),
    clientErrors,
    serverErrors,
    refused,
  };
}
