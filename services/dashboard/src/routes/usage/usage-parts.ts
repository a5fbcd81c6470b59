import { latencyBoundsMs, type UsageView } from '@sigcast/contracts';
import { type UsagePoint, usagePoint } from './usage-points.ts';

/** What a key or path used. Half of its requests, and 95% of them, took at most so long; undefined where it has none. */
export type UsagePart = UsagePoint & { readonly p50: number | undefined; readonly p95: number | undefined };

/** What each key or path used on a day, or on all days, the most first. */
export function usageParts({ days }: UsageView, date: string | undefined): UsagePart[] {
  const shown = days.filter((day) => date === undefined || day.date === date);
  const byName = Map.groupBy(
    shown.flatMap(({ parts = [] }) => parts),
    ({ name }) => name,
  );
  return [...byName]
    .map(([name, parts]) => {
      const sum = (figure: 'requests' | 'refused' | 'client_errors' | 'server_errors') =>
        parts.reduce((total, part) => total + part[figure], 0);
      const figures = {
        requests: sum('requests'),
        refused: sum('refused'),
        client_errors: sum('client_errors'),
        server_errors: sum('server_errors'),
      };
      const classes = [...latencyBoundsMs, 0].map((_, at) =>
        // A service that is older says nothing of latencies.
        parts.reduce((total, { latency = [] }) => total + (latency[at] ?? 0), 0),
      );
      return { ...usagePoint(name, figures), p50: latencyAt(classes, 0.5), p95: latencyAt(classes, 0.95) };
    })
    .sort((a, b) => b.requests + b.refused - (a.requests + a.refused));
}

/** How long a share of the requests took at most, as if those of a class were evenly spread over it, in milliseconds. */
function latencyAt(classes: readonly number[], share: number): number | undefined {
  let left = classes.reduce((total, count) => total + count, 0) * share;
  if (left === 0) return undefined;
  for (const [at, count] of classes.entries()) {
    const least = latencyBoundsMs[at - 1] ?? 0;
    if (left <= count) return least + (((latencyBoundsMs[at] ?? least) - least) * left) / count;
    left -= count;
  }
  return latencyBoundsMs.at(-1);
}
