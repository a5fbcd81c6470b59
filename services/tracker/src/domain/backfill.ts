import type { RevisionStore } from './ports.ts';
import type { Revision } from './revision.ts';
import { entriesOfState } from './tlog/entry.ts';
import type { WaitingEntries } from './tlog/ports.ts';

/** The signals of the signals service, in their present state. Throws when they can't be read. */
export type SignalSource = {
  /** The signals with a greater id than `after`, by ascending id; the next page begins after `nextAfter`, null at the end. */
  page(after: string | undefined): Promise<{
    readonly states: readonly Revision[];
    readonly nextAfter: string | null;
  }>;
};

/** For how long events can be published again: what is younger gets into the log by its event, which says more. */
const dayMs = 86_400_000;

export type BackfillDeps = {
  readonly source: SignalSource;
  readonly revisions: Pick<RevisionStore, 'recordStates'>;
  /** Where the entries of the public log wait; absent where there is none. */
  readonly waiting?: WaitingEntries | undefined;
  /** Called after each page with the number of the page's signals; all signals up to the id `last` are done. */
  readonly advance: (signals: number, last: string | undefined) => void;
};

/**
 * Records the present state of each signal whose present revision is not known, while events go on arriving. It may be
 * repeated, and may continue after a signal.
 *
 * @param after only signals with a greater id. @returns the number of signals, and of those that were recorded.
 */
export async function backfill(
  { source, revisions, waiting, advance }: BackfillDeps,
  after: string | undefined,
): Promise<{ readonly signals: number; readonly recorded: number }> {
  const done = { signals: 0, recorded: 0 };
  for (let last = after; ; ) {
    const { states, nextAfter } = await source.page(last);
    done.recorded += await revisions.recordStates(states);
    if (waiting) {
      const before = new Date(Date.now() - dayMs);
      const entries = states.flatMap((state) => entriesOfState(state, before));
      await Promise.all(entries.map((entry) => waiting.add(entry)));
    }
    done.signals += states.length;
    last = states.at(-1)?.id ?? last;
    advance(states.length, last);
    if (nextAfter === null) return done;
    last = nextAfter;
  }
}
