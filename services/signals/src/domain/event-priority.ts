import type { EventPriority } from '@sigcast/contracts';

/**
 * Events of an imported signal are bulk for this long, later changes of it included: a live event would overtake the
 * import's own one, and receivers would see a signal's end before its beginning. As long as an import's events
 * may wait for their consumers, for which the archive keeps them.
 */
const bulkForMs = 24 * 60 * 60_000;

/** How urgent a signal's event is: bulk where the signal has just come by an import. */
export function eventPriority(occurredAt: Date, importedAt: Date | undefined): EventPriority {
  const isBulk = importedAt !== undefined && occurredAt.getTime() < importedAt.getTime() + bulkForMs;
  return isBulk ? 'bulk' : 'live';
}
