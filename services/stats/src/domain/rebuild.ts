import { differencesIn, type FactDifference, readAgain } from './fact-difference.ts';
import { type FactLedger, idRanges, type SignalSource } from './fact-ledger.ts';
import type { FactStore } from './ports.ts';

export type RebuildDeps = {
  readonly source: SignalSource;
  readonly ledger: FactLedger;
  readonly facts: FactStore;
  /** Counts all facts again, because the figures learn of a removed fact in no other way. */
  readonly recount: () => Promise<void>;
  /** Called with the number of signals that were checked since the last call. */
  readonly advance: (signals: number) => void;
};

/** What a rebuild changed. */
type Rebuilt = {
  readonly signals: number;
  /** Facts that were missing, stale or wrong. */
  readonly recorded: number;
  /** Facts of signals that don't exist. */
  readonly removed: number;
};

/**
 * Corrects the facts from the signals, while events go on arriving: a fact is replaced only by one of a later change, or
 * removed when it is wrong and unchanged since it was read. After an interruption it can be run again.
 */
export async function rebuild(deps: RebuildDeps): Promise<Rebuilt> {
  const done = { signals: 0, recorded: 0, removed: 0 };
  for await (const range of idRanges(deps.source, deps.ledger)) {
    const differences = differencesIn(range);
    const corrected = await Promise.all(differences.map((difference) => correct(deps, difference)));
    done.signals += range.signals.length;
    done.recorded += corrected.filter((what) => what === 'recorded').length;
    done.removed += corrected.filter((what) => what === 'removed').length;
    deps.advance(range.signals.length);
  }
  await deps.recount();
  return done;
}

async function correct(
  deps: RebuildDeps,
  difference: FactDifference,
): Promise<'recorded' | 'removed' | undefined> {
  if (difference.kind === 'missing' || difference.kind === 'stale') {
    await deps.facts.record(difference.signal);
    return 'recorded';
  }
  // The difference may only come from a change between the two reads.
  const now = await readAgain(difference.id, deps);
  if (now?.kind !== 'extra' && now?.kind !== 'wrong') return undefined;
  await deps.ledger.remove(now.fact);
  if (now.kind === 'extra') return 'removed';
  await deps.facts.record(now.signal);
  return 'recorded';
}
