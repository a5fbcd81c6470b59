import type { Webhook } from '@sigcast/contracts';

const dayMs = 86_400_000;
/** So long everything failed before a webhook was disabled for it. */
const failingMs = 3 * dayMs;
/** Events are kept 30 days; ten minutes less, so that the form may be thought over. */
const keptMs = 30 * dayMs - 600_000;

/**
 * Since when a disabled subscription has missed something, in Unix milliseconds, as far back as events are kept.
 * Undefined while it is enabled: the API forgets it then, so it is to be asked before a subscription is resumed.
 */
export function missedSince(
  { disabled_at: disabledAt, disabled_reason: reason }: Pick<Webhook, 'disabled_at' | 'disabled_reason'>,
  nowMs: number,
): number | undefined {
  if (disabledAt === null) return undefined;
  const atMs = Date.parse(disabledAt) - (reason === 'failing' ? failingMs : 0);
  return Math.max(atMs, nowMs - keptMs);
}
