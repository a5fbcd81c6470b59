import type { SignalFact } from './fact.ts';
import type { FactLedger, IdRange, SignalSource } from './fact-ledger.ts';

/** How a fact differs from its signal. */
export type FactDifference =
  /** The signal has no fact. */
  | { readonly kind: 'missing'; readonly id: string; readonly signal: SignalFact }
  /** The fact is of an earlier change. */
  | { readonly kind: 'stale'; readonly id: string; readonly signal: SignalFact; readonly fact: SignalFact }
  /** The fact is of the same or a later change, and differs. */
  | { readonly kind: 'wrong'; readonly id: string; readonly signal: SignalFact; readonly fact: SignalFact }
  /** The fact has no signal. */
  | { readonly kind: 'extra'; readonly id: string; readonly fact: SignalFact };

/** The difference between a signal and its fact as they were read. */
function factDifference(
  signal: SignalFact | undefined,
  fact: SignalFact | undefined,
): FactDifference | undefined {
  if (signal === undefined) return fact && { kind: 'extra', id: fact.id, fact };
  const { id } = signal;
  if (fact === undefined) return { kind: 'missing', id, signal };
  if (isBehind(fact, signal)) return { kind: 'stale', id, signal, fact };
  return isSame(signal, fact) ? undefined : { kind: 'wrong', id, signal, fact };
}

/** Whether a fact is of an earlier change than a signal. */
export function isBehind(fact: SignalFact, signal: SignalFact): boolean {
  return fact.rev < signal.rev;
}

/** All differences within a range, by id. Some may be gone once signal and fact are read again. */
export function differencesIn({ signals, facts }: IdRange): FactDifference[] {
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  const known = new Set(signals.map(({ id }) => id));
  return [
    ...signals.flatMap((signal) => factDifference(signal, byId.get(signal.id)) ?? []),
    ...facts.flatMap((fact) => (known.has(fact.id) ? [] : (factDifference(undefined, fact) ?? []))),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The difference as it is now. Reads the fact before the signal, since a signal is always written before its fact. */
export async function readAgain(
  id: string,
  { ledger, source }: { readonly ledger: FactLedger; readonly source: SignalSource },
): Promise<FactDifference | undefined> {
  const fact = await ledger.find(id);
  return factDifference(await source.find(id), fact);
}

function isSame(a: SignalFact, b: SignalFact): boolean {
  return comparable(a) === comparable(b);
}

/** All members that figures are made of. */
function comparable({ rev, type, status, roi, ath, realizable, createdAt }: SignalFact): string {
  return JSON.stringify([
    rev,
    type,
    status,
    roi,
    ath.roi,
    ath.after,
    realizable?.roi,
    realizable?.exit,
    createdAt,
  ]);
}
