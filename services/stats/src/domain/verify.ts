import type { Totals } from '@sigcast/statistics';
import { exits } from './fact.ts';
import { differencesIn, type FactDifference, isBehind, readAgain } from './fact-difference.ts';
import { type FactLedger, idRanges, type SignalSource } from './fact-ledger.ts';
import type { StatisticsStore } from './ports.ts';
import type { PositionFigures } from './position-figures.ts';
import { type Figures, servedFigures, startRecount } from './recount.ts';

type VerifyDeps = {
  readonly source: SignalSource;
  readonly ledger: FactLedger;
  readonly store: StatisticsStore;
  readonly now: () => Date;
  /** Waits a moment for events that are on their way. Resolves to false when it is no use to wait longer. */
  readonly waitForEvents: (attempt: number) => Promise<boolean>;
  /** Called with the number of signals that were counted since the last call. */
  readonly advance: (signals: number) => void;
};

/** A served figure that differs from the recount. */
export type FigureDifference = {
  readonly period: Figures['period'];
  readonly type: Figures['type'];
  /** ROI in hundredths of a percent. */
  readonly figure: keyof Totals | keyof PositionFigures;
  readonly served: number | bigint;
  readonly recounted: number | bigint;
};

export type Verification = {
  readonly asOf: Date;
  readonly signals: number;
  /** False when the count ended early because of too many differences. Then no figures were compared. */
  readonly complete: boolean;
  readonly facts: readonly FactDifference[];
  readonly figures: readonly FigureDifference[];
  /** Figures that changed during each count, so that they can't be compared. */
  readonly moving: readonly Pick<Figures, 'period' | 'type'>[];
};

/** The count is repeated while figures change during it, at most so many times. */
const maxCounts = 3;

/** With more differences the count ends: nobody reads so long a list. */
const maxFactDifferences = 1_000;

/**
 * Counts all signals, and compares the count with the facts and with the figures served for one instant. Signals may be
 * written meanwhile, so a difference counts only if it remains when the events on their way have had time to arrive.
 */
export async function verify(deps: VerifyDeps): Promise<Verification> {
  for (let count = 1; ; count++) {
    const found = await countOnce(deps);
    if (found.moving.length === 0 || found.facts.length > 0 || count === maxCounts) return found;
  }
}

async function countOnce(deps: VerifyDeps): Promise<Verification> {
  const asOf = deps.now();
  const before = await servedFigures(deps.store, asOf);
  const recount = startRecount(asOf);
  const candidates: FactDifference[] = [];
  let signals = 0;
  let complete = true;
  for await (const range of idRanges(deps.source, deps.ledger)) {
    for (const signal of range.signals) recount.add(signal);
    candidates.push(...differencesIn(range));
    signals += range.signals.length;
    deps.advance(range.signals.length);
    complete = candidates.length <= maxFactDifferences;
    if (!complete) break;
  }
  const facts = await lastingDifferences(deps, candidates);
  const after = await servedFigures(deps.store, asOf);
  const figures: FigureDifference[] = [];
  const moving: Pick<Figures, 'period' | 'type'>[] = [];
  recount.figures().forEach(({ period, type, totals }, index) => {
    const [now, earlier] = [after[index]?.totals, before[index]?.totals];
    if (!now || !earlier || !complete) return;
    if (figureNames.some((name) => now[name] !== earlier[name])) {
      moving.push({ period, type });
      return;
    }
    for (const figure of figureNames) {
      const [served, recounted] = [now[figure], totals[figure]];
      if (served !== recounted) figures.push({ period, type, figure, served, recounted });
    }
  });
  return { asOf, signals, complete, facts, figures, moving };
}

const figureNames = [
  ...(['total', 'winners', 'roiSum', 'roiMax'] as const satisfies readonly (keyof Totals)[]),
  ...([...exits, 'profitable', 'realizableSum'] as const satisfies readonly (keyof PositionFigures)[]),
];

/** The candidates that still differ when the events on their way have arrived. */
async function lastingDifferences(
  deps: VerifyDeps,
  candidates: readonly FactDifference[],
): Promise<readonly FactDifference[]> {
  let left = candidates;
  let idleAttempts = 0;
  for (let attempt = 1; left.length > 0; attempt++) {
    const again: FactDifference[] = [];
    for (let from = 0; from < left.length; from += readTogether) {
      const batch = left.slice(from, from + readTogether);
      again.push(...(await Promise.all(batch.map((candidate) => readCandidate(deps, candidate)))).flat());
    }
    idleAttempts = again.length < left.length ? 0 : idleAttempts + 1;
    left = again;
    if (left.length === 0 || idleAttempts > maxIdleAttempts || !(await deps.waitForEvents(attempt))) break;
  }
  return left;
}

/** Candidates that are read again in parallel. */
const readTogether = 50;

/** When no event arrives during so many pauses in a row, none is on its way. */
const maxIdleAttempts = 5;

/** @returns the difference if there still is one. */
async function readCandidate(deps: VerifyDeps, candidate: FactDifference): Promise<FactDifference[]> {
  const now = await readAgain(candidate.id, deps);
  if (!now || hasArrived(candidate, now)) return [];
  return [candidate.kind === now.kind ? candidate : now];
}

/** Whether the fact now includes the change that it missed at first, though it may lack later changes. */
function hasArrived(first: FactDifference, now: FactDifference): boolean {
  return 'signal' in first && now.kind === 'stale' && !isBehind(now.fact, first.signal);
}
