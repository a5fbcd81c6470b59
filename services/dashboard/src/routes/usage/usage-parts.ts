import type { UsageView } from '@sigcast/contracts';
import { type UsagePoint, usagePoint } from './usage-points.ts';

/** What each key or path used on a day, or on all days, the most first. */
export function usageParts({ days }: UsageView, date: string | undefined): UsagePoint[] {
  const sums = new Map<
    string,
    { requests: number; refused: number; client_errors: number; server_errors: number }
  >();
  for (const day of days) {
    if (date !== undefined && day.date !== date) continue;
    for (const { name, requests, refused, client_errors, server_errors } of day.parts ?? []) {
      const sum = sums.get(name) ?? { requests: 0, refused: 0, client_errors: 0, server_errors: 0 };
      sum.requests += requests;
      sum.refused += refused;
      sum.client_errors += client_errors;
      sum.server_errors += server_errors;
      sums.set(name, sum);
    }
  }
  return [...sums]
    .map(([name, figures]) => usagePoint(name, figures))
    .sort((a, b) => b.requests + b.refused - (a.requests + a.refused));
}
