const dayMs = 86_400_000;

/** The age from which observations are thinned. */
export const keptInFullMs = 30 * dayMs;

/** When the observations of an instant's day (UTC) are thinned: 30 days after the day's end. */
export function thinningTime(at: Date): Date {
  return new Date((Math.floor(at.getTime() / dayMs) + 1) * dayMs + keptInFullMs);
}
