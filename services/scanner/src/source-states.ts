import type { ScannerState } from '@sigcast/contracts';
import type { SourceAnswer } from '@sigcast/market';

/** How the sources have answered this process. */
export class SourceStates {
  readonly #states = new Map<string, ScannerState['sources'][number]>();

  note(name: string, answer: SourceAnswer, at: Date): void {
    const before = this.#states.get(name);
    // A refusal says something of the request alone.
    const isFine = answer.kind === 'answered' || answer.kind === 'refused';
    this.#states.set(name, {
      name,
      answered_at: isFine ? at.toISOString() : (before?.answered_at ?? null),
      failures: isFine ? 0 : (before?.failures ?? 0) + 1,
      problem: isFine ? null : answer.reason,
    });
  }

  all(): ScannerState['sources'] {
    return [...this.#states.values()];
  }
}
