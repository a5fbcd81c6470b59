import type { UsageFigures, UsageView } from '@sigcast/contracts';
import { shortDate } from '../../ui/format.ts';

/** What became of the requests of one hour or day: each is counted in one of the figures. */
export type UsagePoint = {
  readonly at: string;
  readonly answered: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly refused: number;
};

export function byDay({ days }: UsageView): UsagePoint[] {
  return days.map((day) => point(shortDate(day.date), day));
}

/** The hours of the last day. */
export function byHour({ days }: UsageView): UsagePoint[] {
  const hours = days.at(-1)?.hours ?? [];
  return hours.map((figures, hour) => point(`${String(hour).padStart(2, '0')}:00`, figures));
}

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
