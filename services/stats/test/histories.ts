import { signalTypes } from '@sigcast/contracts';
import { seededRandom } from '@sigcast/runtime';
import { type Exit, exits, type Position } from '../src/domain/fact.ts';
import type { Revision } from './events.ts';

const secondMs = 1_000;
const hourMs = 3_600_000;

/** The instant at which histories end; not at the edge of a cell. */
export const baseMs = Date.parse('2026-06-15T12:34:56.789Z');

/** Random choices that are the same for the same seed. */
export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** A whole number from 0, below `limit`. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  happens(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  shuffle<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, place: this.#next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ item }) => item);
  }
}

/**
 * All revisions of so many signals: created, observed again and again, perhaps ending as something. Created anywhere in
 * 50 days, exactly or next to where a period ends, or densely within a few seconds, minutes or hours. Most get a position,
 * which may end.
 */
export function randomHistory(chance: Chance, signals: number): Revision[] {
  const newestMs = baseMs - chance.pick([0, 5, 100, 200, 800]) * hourMs;
  const spreads = [1_200 * hourMs, 20 * hourMs, hourMs / 4, 20 * secondMs, 3 * secondMs];
  return Array.from({ length: signals }, (_, signal) => {
    const type = chance.pick(signalTypes);
    const end = baseMs - chance.pick([0, 24, 168, 720]) * hourMs + chance.pick([-1, 0, 1]);
    const createdAtMs = chance.happens(0.1) ? end : newestMs - chance.below(chance.pick(spreads));
    const changes = chance.pick([0, 1, 1, 3, 6]);
    const endsAs = chance.pick(['active', 'winner', 'dead', 'rugged'] as const);
    let [athRoi, timeToAth] = [0, 0];
    let realizable: Position | undefined;
    return Array.from({ length: changes + 1 }, (_, n): Revision => {
      const status = n > 0 && n === changes ? endsAs : 'active';
      const roi = n === 0 ? 0 : chance.pick([chance.below(100_000), -chance.below(10_000), 999_999_999]);
      if (roi > athRoi) [athRoi, timeToAth] = [roi, timeToAth + chance.below(1_000)];
      // Undefined again where a rule of another version took its place.
      if (chance.happens(0.02)) realizable = undefined;
      else if (realizable || chance.happens(0.6)) realizable = nextPosition(chance, realizable);
      return { signal, type, status, roi, athRoi, timeToAth, realizable, createdAtMs, rev: n + 1 };
    });
  }).flat();
}

/** Any ROI until the exit, and none but the last one after it. */
function nextPosition(chance: Chance, known: Position | undefined): Position {
  if (known && known.exit !== 'open') return known;
  const exit: Exit = chance.happens(0.4) ? chance.pick(exits) : 'open';
  const roi = chance.pick([
    0,
    1,
    -1,
    -10_000,
    chance.below(20_000),
    -chance.below(9_000),
    99_999_999_999_999,
  ]);
  return { roi, exit };
}
