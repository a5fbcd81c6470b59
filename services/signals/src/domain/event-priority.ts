import type { EventPriority, OutgoingEvent } from '@sigcast/contracts';
import type { PendingSignal } from './ports.ts';

/**
 * For this long after an import all events of an imported signal are bulk: a live event would overtake the import's
 * `signal.new`, and receivers would see a signal's end before its beginning. The archive keeps events for as long.
 */
const bulkForMs = 24 * 60 * 60_000;

/** The priority of a signal's event: bulk in the day after the signal's import. */
export function eventPriority(occurredAt: Date, importedAt: Date | undefined): EventPriority {
  const isBulk = importedAt !== undefined && occurredAt.getTime() < importedAt.getTime() + bulkForMs;
  return isBulk ? 'bulk' : 'live';
}

/** A signal with the events that wait of it. The newest event decides for all, so that it does not overtake those before it. */
export function pendingSignal(
  { id, rev }: { readonly id: string; readonly rev: number },
  events: readonly OutgoingEvent[],
  importedAt: Date | undefined,
): PendingSignal {
  const newest = events.at(-1)?.occurred_at;
  const priority = newest === undefined ? 'live' : eventPriority(new Date(newest), importedAt);
  return { id, rev, events, priority };
}
