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

  /** Passes all counts to `write`, and begins anew; where it fails, they are kept. @throws what `write` throws. */
  async store(write: (counts: Counts) => Promise<void>): Promise<void> {
    const counts = this.#counts;
    if (Object.keys(counts).length === 0) return;
    this.#counts = {};
    try {
      await write(counts);
    } catch (error) {
      this.add(counts);
      throw error;
    }
  }
}
