import type { Webhook } from '@sigcast/client';

const dayMs = 86_400_000;
/** A webhook is disabled after everything has failed for so long. */
const failingMs = 3 * dayMs;
/** Events are kept for 30 days. Ten minutes less, so that there is time to fill in the form. */
const keptMs = 30 * dayMs - 600_000;

/**
 * Since when a disabled webhook has missed events, in Unix milliseconds, at most as far back as events are kept.
 * Undefined for an enabled webhook, so call this before it is resumed: the API does not say it afterwards.
 */
export function missedSince(
  { disabled_at: disabledAt, disabled_reason: reason }: Pick<Webhook, 'disabled_at' | 'disabled_reason'>,
  nowMs: number,
): number | undefined {
  if (disabledAt === null) return undefined;
  const atMs = Date.parse(disabledAt) - (reason === 'failing' ? failingMs : 0);
  return Math.max(atMs, nowMs - keptMs);
}
