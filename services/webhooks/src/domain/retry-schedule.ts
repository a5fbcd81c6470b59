/** Spreads the retries of deliveries that failed together. */
const jitter = 0.15;

/** The pause before a retry: `delayMs` spread evenly over ±15 %. `random` is in [0, 1). */
export function retryDelayMs(delayMs: number, random: () => number): number {
  return Math.max(1, Math.round(delayMs * (1 - jitter + 2 * jitter * random())));
}
