import type { ScannerState } from '@sigcast/contracts';
import type { SourceAnswer } from '@sigcast/market';

/** How the sources have answered this process. */
export class SourceStates {
  readonly #states = new Map<string, ScannerState['sources'][number]>();

  note(name: string, answer: SourceAnswer, at: Date): void {
    const before = this.#states.get(name);
    const failures = before?.failures ?? 0;
    const isAnswer = answer.kind === 'answered';
    this.#states.set(name, {
      name,
      answered_at: isAnswer ? at.toISOString() : (before?.answered_at ?? null),
      // A refusal may be of this request alone, as for a token that the source does not know.
      failures: isAnswer ? 0 : answer.kind === 'refused' ? failures : failures + 1,
      problem: isAnswer ? null : answer.reason,
    });
  }

  all(): ScannerState['sources'] {
    return [...this.#states.values()];
  }
}
