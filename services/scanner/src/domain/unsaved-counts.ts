import type { SignalType } from '@sigcast/contracts';
import type { Reason } from './rules/v1.ts';

/** Counts of what a scanner judged, refused and made: a number by the name of a count, such as `refusals.all.jump`. */
export type Counts = Readonly<Record<string, number>>;

/** What this process has counted and not stored yet. */
export class UnsavedCounts {
  #counts: Record<string, number> = {};

  judged(tokens: number): void {
    this.add({ judged: tokens });
  }

  refused(type: SignalType | 'all', reason: Reason): void {
    this.add({ [`refusals.${type}.${reason}`]: 1 });
  }

  made(type: SignalType): void {
    this.add({ [`signals.${type}`]: 1 });
  }

  add(counts: Counts): void {
    for (const [name, count] of Object.entries(counts))
      this.#counts[name] = (this.#counts[name] ?? 0) + count;
  }

  /** All counts, which begin anew. */
  take(): Counts {
    const counts = this.#counts;
    this.#counts = {};
    return counts;
  }
}
