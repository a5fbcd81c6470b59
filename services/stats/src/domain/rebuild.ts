import { differencesIn, type FactDifference, readAgain } from './fact-difference.ts';
import { type FactLedger, type SignalSource, stretches } from './fact-ledger.ts';
import type { FactStore } from './ports.ts';

export type RebuildDeps = {
  readonly source: SignalSource;
  readonly ledger: FactLedger;
  readonly facts: FactStore;
  /** Counts all facts anew, as nothing else tells of one that was removed. */
  readonly recount: () => Promise<void>;
  /** Told of signals that are done. */
  readonly advance: (signals: number) => void;
};

/** What a rebuild found and mended. */
export type Rebuilt = {
  readonly signals: number;
  /** Facts that were missing, of an earlier change, or wrong. */
  readonly recorded: number;
  /** Facts of signals that don't exist. */
  readonly removed: number;
};

/**
 * Makes the facts from the signals anew, while events go on arriving: a fact is only ever replaced by one of a later
 * change, or taken out when it is wrong and still the same. Killed anywhere, it is simply run again.
 */
export async function rebuild(deps: RebuildDeps): Promise<Rebuilt> {
  const done = { signals: 0, recorded: 0, removed: 0 };
  for await (const stretch of stretches(deps.source, deps.ledger)) {
    const differences = differencesIn(stretch);
    const mended = await Promise.all(differences.map((difference) => mend(deps, difference)));
    done.signals += stretch.signals.length;
    done.recorded += mended.filter((what) => what === 'recorded').length;
    done.removed += mended.filter((what) => what === 'removed').length;
    deps.advance(stretch.signals.length);
  }
  await deps.recount();
  return done;
}

async function mend(
  deps: RebuildDeps,
  difference: FactDifference,
): Promise<'recorded' | 'removed' | undefined> {
  if (difference.kind === 'missing' || difference.kind === 'stale') {
    await deps.facts.record(difference.signal);
    return 'recorded';
  }
  // What only came between the two readings is no fault.
  const now = await readAgain(difference.id, deps);
  if (now?.kind !== 'extra' && now?.kind !== 'wrong') return undefined;
  await deps.ledger.remove(now.fact);
  if (now.kind === 'extra') return 'removed';
  await deps.facts.record(now.signal);
  return 'recorded';
}
