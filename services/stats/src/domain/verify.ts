import { differencesIn, type FactDifference, isBehind, readAgain } from './fact-difference.ts';
import { type FactLedger, type SignalSource, stretches } from './fact-ledger.ts';
import type { StatisticsStore, Totals } from './ports.ts';
import { type Figures, servedFigures, startRecount } from './recount.ts';

export type VerifyDeps = {
  readonly source: SignalSource;
  readonly ledger: FactLedger;
  readonly store: StatisticsStore;
  readonly now: () => Date;
  /** Waits for events that are under way. Resolves false when it has been long enough. */
  readonly waitForEvents: (attempt: number) => Promise<boolean>;
  /** Told of signals that are done. */
  readonly advance: (signals: number) => void;
};

/** A figure that is not what the signals say. */
export type FigureDifference = {
  readonly period: Figures['period'];
  readonly type: Figures['type'];
  /** ROI in hundredths of a percent. */
  readonly figure: keyof Totals;
  readonly served: number | bigint;
  readonly recounted: number | bigint;
};

export type Verification = {
  readonly asOf: Date;
  readonly signals: number;
  /** False when there were so many differences that the count ended early; then no figures were compared. */
  readonly complete: boolean;
  readonly facts: readonly FactDifference[];
  readonly figures: readonly FigureDifference[];
  /** Figures that changed while the signals were counted, each time: they can't be compared to any one count. */
  readonly moving: readonly Pick<Figures, 'period' | 'type'>[];
};

/** Counts of all signals, until no figure changes meanwhile. */
const maxCounts = 3;

/** Beyond it nobody reads the list, and something else is wrong: the count ends. */
const maxFactDifferences = 1_000;

/**
 * Counts all signals, and compares with the facts and with the figures served for one instant. Signals may be written
 * meanwhile: a fact counts as different only if it still is when the events under way had time to arrive.
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
  const suspects: FactDifference[] = [];
  let signals = 0;
  let complete = true;
  for await (const stretch of stretches(deps.source, deps.ledger)) {
    for (const signal of stretch.signals) recount.add(signal);
    suspects.push(...differencesIn(stretch));
    signals += stretch.signals.length;
    deps.advance(stretch.signals.length);
    complete = suspects.length <= maxFactDifferences;
    if (!complete) break;
  }
  const facts = await lasting(deps, suspects);
  const served = await servedFigures(deps.store, asOf);
  const figures: FigureDifference[] = [];
  const moving: Pick<Figures, 'period' | 'type'>[] = [];
  recount.figures().forEach(({ period, type, totals }, index) => {
    const [now, earlier] = [served[index]?.totals, before[index]?.totals];
    if (!now || !earlier || !complete) return;
    if (names.some((name) => now[name] !== earlier[name])) {
      moving.push({ period, type });
      return;
    }
    for (const figure of names) {
      if (now[figure] === totals[figure]) continue;
      figures.push({ period, type, figure, served: now[figure], recounted: totals[figure] });
    }
  });
  return { asOf, signals, complete, facts, figures, moving };
}

const names = ['total', 'winners', 'roiSum', 'roiMax'] as const satisfies readonly (keyof Totals)[];

/** Those that are still there when events under way have arrived. A newer change is on its way like any other. */
async function lasting(
  deps: VerifyDeps,
  suspects: readonly FactDifference[],
): Promise<readonly FactDifference[]> {
  let left = suspects;
  let idleAttempts = 0;
  for (let attempt = 1; left.length > 0; attempt++) {
    const again: FactDifference[] = [];
    for (let from = 0; from < left.length; from += readTogether) {
      const batch = left.slice(from, from + readTogether);
      again.push(...(await Promise.all(batch.map((suspect) => stillDiffers(deps, suspect)))).flat());
    }
    idleAttempts = again.length < left.length ? 0 : idleAttempts + 1;
    left = again;
    if (left.length === 0 || idleAttempts > maxIdleAttempts || !(await deps.waitForEvents(attempt))) break;
  }
  return left;
}

/** Suspects read again side by side. */
const readTogether = 50;

/** While events arrive it is waited on; when none has for this many pauses, none is under way. */
const maxIdleAttempts = 5;

async function stillDiffers(deps: VerifyDeps, suspect: FactDifference): Promise<FactDifference[]> {
  const now = await readAgain(suspect.id, deps);
  if (!now || hasArrived(suspect, now)) return [];
  return [suspect.kind === now.kind ? suspect : now];
}

/** Whether the change that was missed first has its fact by now, though others came after it. */
function hasArrived(first: FactDifference, now: FactDifference): boolean {
  return 'signal' in first && now.kind === 'stale' && !isBehind(now.fact, first.signal);
}
