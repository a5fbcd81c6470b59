import type { EventPriority } from '@sigcast/contracts';
import { batchLines } from './import-signals.ts';
import type { ImportPace } from './ports.ts';

/** How many lines an import writes together beside live writes: so few at first, and as many as without them at most. */
const lines = { fewest: 6, most: batchLines };

/** A pause after the fewest lines, as a multiple of the time that they took; after more lines it is a smaller one. */
const pauseFactor = 16;

/** In milliseconds. */
const maxPauseMs = 5_000;

/** For this long after a live write an import goes slowly, and an event is followed at most, in milliseconds. */
const liveForMs = 10_000;

/** How long a live event may take from its write to the broker beside an import: so many milliseconds, or times as long as without. */
const target = { ms: 8, times: 2.5 };

/** The weight of each live event in how long they usually take. */
const weight = 1 / 8;

/** How many lines more an import writes at most after each batch beside which no live event took longer. */
const gain = 1.2;

/** The most live events whose way is followed at a time. */
const maxFollowed = 10_000;

/** The pace of the imports of a process, which learns from live events. */
type LearningPace = ImportPace & {
  /** Notes that an event of a live write is stored. A change of an imported signal has a bulk event: its way is not followed. */
  stored(eventId: string, priority: EventPriority): void;
  /** Notes that the broker has an event. */
  relayed(eventId: string): void;
};

/**
 * Slows imports down while others write single signals or observations, by small batches with pauses between them. What it
 * protects is the way of live events to the broker: while all are there nearly as soon as without an import, batches grow and
 * pauses are shorter in relation; when one is not, batches are halved (additive increase and multiplicative decrease, as in
 * RFC 5681, 3.1). Several imports share one pace, and each keeps it.
 */
export function importPace(deps: {
  readonly pause: (ms: number) => Promise<void>;
  /** A clock that never steps back, in milliseconds. */
  readonly nowMs: () => number;
}): LearningPace {
  let batch: number = lines.fewest;
  let liveAtMs = Number.NEGATIVE_INFINITY;
  /** When live events were stored that are on their way, by id, oldest first. */
  const followed = new Map<string, number>();
  /** The longest way of a live event since the last batch; undefined while there was none. */
  let longestMs: number | undefined;
  /** How long live events took lately while there was no import; 0 where nothing is known. */
  let usualMs = 0;
  let importAtMs = Number.NEGATIVE_INFINITY;

  const isLive = () => deps.nowMs() - liveAtMs < liveForMs;
  const isImporting = () => deps.nowMs() - importAtMs < liveForMs;
  const note = (sinceMs: number) => {
    longestMs = Math.max(longestMs ?? 0, deps.nowMs() - sinceMs);
  };
  const beginAnew = () => {
    batch = lines.fewest;
    longestMs = undefined;
  };
  const learn = () => {
    for (const [eventId, sinceMs] of followed) {
      note(sinceMs);
      if (deps.nowMs() - sinceMs < liveForMs) break;
      followed.delete(eventId); // another replica has relayed it, or none can
    }
    if (longestMs === undefined) return;
    const targetMs = Math.max(target.ms, target.times * usualMs);
    const grown = batch + gain * (1 - longestMs / targetMs);
    batch = longestMs > targetMs ? Math.max(lines.fewest, batch / 2) : Math.min(lines.most, grown);
    longestMs = undefined;
  };

  return {
    stored: (eventId, priority) => {
      if (!isLive()) beginAnew();
      liveAtMs = deps.nowMs();
      if (priority !== 'live') return;
      if (followed.size >= maxFollowed) followed.clear();
      followed.set(eventId, liveAtMs);
    },
    relayed: (eventId) => {
      const sinceMs = followed.get(eventId);
      if (sinceMs === undefined) return;
      followed.delete(eventId);
      if (isImporting()) note(sinceMs);
      else usualMs += weight * (deps.nowMs() - sinceMs - usualMs);
    },
    get maxBatch() {
      return isLive() ? Math.round(batch) : Number.POSITIVE_INFINITY;
    },
    pauseAfter: async (tookMs) => {
      if (!isImporting()) beginAnew();
      importAtMs = deps.nowMs();
      if (!isLive()) return;
      await deps.pause(Math.min(((pauseFactor * lines.fewest) / batch) * tookMs, maxPauseMs));
      learn();
    },
  };
}
