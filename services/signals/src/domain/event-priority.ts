import type { EventPriority } from '@sigcast/contracts';

/**
 * Events of an imported signal are bulk for this long, later changes of it included: a live event would overtake the
 * import's own one, and receivers would see a signal's end before its beginning. Longer than an import's events wait
 * for their consumers.
 */
const bulkForMs = 10 * 60_000;

/** How urgent a signal's event is: bulk where the signal has just come by an import. */
export function eventPriority(occurredAt: Date, importedAt: Date | undefined): EventPriority {
  const isBulk = importedAt !== undefined && occurredAt.getTime() < importedAt.getTime() + bulkForMs;
  return isBulk ? 'bulk' : 'live';
}
