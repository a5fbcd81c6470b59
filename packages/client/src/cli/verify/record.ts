/** What the log says of a signal. */
export type LoggedSignal = {
  readonly index: number;
  readonly type: string;
  readonly created_at: string;
  readonly contract: string;
  readonly mcap_entry: number;
  status: string;
  /** The number of the entry that decided it. */
  decided?: number;
};

/** A difference that was found. */
export type Problem = { readonly check: string; readonly message: string };

/** Problems of one kind that are named; more are counted. */
const named = 20;

/**
 * The status of a signal that had one and gets another, in whatever order the log got to know of both: a winner may be rugged
 * later. Undefined for two that contradict each other.
 */
function joined(one: string, other: string): string | undefined {
  if (one === 'active') return ['winner', 'dead', 'rugged'].includes(other) ? other : undefined;
  const both = [one, other].sort().join(' ');
  return both === 'rugged winner' ? 'rugged' : undefined;
}

/** By how much an entry may have been known earlier than one before it: several programs add entries. Milliseconds. */
const skewMs = 600_000;
/** A signal that is known later than this was not published when it says that it was created. Milliseconds. */
const lateMs = 3_600_000;

type Entry = {
  readonly v?: unknown;
  readonly kind?: unknown;
  readonly signal?: unknown;
  readonly known_at?: unknown;
  readonly created_at?: unknown;
  readonly type?: unknown;
  readonly token?: { readonly contract?: unknown };
  readonly metrics?: { readonly mcap_entry?: unknown };
  readonly status?: unknown;
  readonly realizable?: { readonly roi?: unknown } | null;
};

/** The record that the entries of a log are, and what is wrong with them. */
export class TrackRecord {
  readonly signals = new Map<string, LoggedSignal>();
  /** Signals that became known more than an hour after they say that they were created. */
  late = 0;
  corrections = 0;
  /** Signals that a position was decided of, and the sum of their results, percent. */
  positions = 0;
  positionsRoi = 0;
  readonly #problems: Problem[] = [];
  #knownMs = 0;
  #more = 0;

  /** Reads the next entry. */
  add(index: number, text: Buffer): void {
    const entry = parsed(text);
    if (entry === undefined || canonical(entry) !== text.toString('utf8')) {
      this.#report(index, 'is not canonical JSON');
      return;
    }
    const { v, kind, signal, known_at } = entry;
    const knownMs = Date.parse(String(known_at));
    if (v !== 1 || typeof signal !== 'string' || Number.isNaN(knownMs)) {
      this.#report(index, 'is not an entry of version 1');
      return;
    }
    if (knownMs < this.#knownMs - skewMs)
      this.#report(
        index,
        `is dated back: known at ${String(known_at)}, behind one known at ${instant(this.#knownMs)}`,
      );
    this.#knownMs = Math.max(this.#knownMs, knownMs);
    if (kind === 'signal') this.#addSignal(index, signal, entry, knownMs);
    else if (kind === 'outcome') this.#addOutcome(index, signal, entry);
    else if (kind === 'correction') this.corrections += 1;
    else this.#report(index, `has the kind ${String(kind)}`);
  }

  /** All problems; those that were not named as their number. */
  get found(): readonly Problem[] {
    return this.#more === 0
      ? this.#problems
      : [...this.#problems, { check: 'entries', message: `and ${this.#more} more problems of entries` }];
  }

  #addSignal(index: number, signal: string, entry: Entry, knownMs: number): void {
    const { type, created_at, token, metrics } = entry;
    if (this.signals.has(signal)) {
      this.#report(index, `is a second entry of the signal ${signal}`);
      return;
    }
    if (knownMs - Date.parse(String(created_at)) > lateMs) this.late += 1;
    this.signals.set(signal, {
      index,
      type: String(type),
      created_at: String(created_at),
      contract: String(token?.contract),
      mcap_entry: Number(metrics?.mcap_entry),
      status: 'active',
    });
    const early = this.#early.get(signal) ?? [];
    this.#early.delete(signal);
    for (const { index: at, entry: outcome } of early) this.#addOutcome(at, signal, outcome);
  }

  #addOutcome(index: number, signal: string, entry: Entry): void {
    const known = this.signals.get(signal);
    if (known === undefined) {
      // Events may come in any order.
      this.#early.set(signal, [...(this.#early.get(signal) ?? []), { index, entry }]);
      return;
    }
    const { status, realizable } = entry;
    const to = joined(known.status, String(status));
    if (to === undefined) {
      this.#report(index, `decides ${signal} ${String(status)}, which is ${known.status} already`);
      return;
    }
    known.status = to;
    known.decided = index;
    const roi = realizable?.roi;
    if (typeof roi === 'number') {
      this.positions += 1;
      this.positionsRoi += roi;
    }
  }

  /** Outcomes whose signal has not come yet. */
  readonly #early = new Map<string, { readonly index: number; readonly entry: Entry }[]>();

  /** To be called behind the last entry. */
  end(): void {
    for (const [signal, outcomes] of this.#early)
      for (const { index } of outcomes)
        this.#report(index, `decides the signal ${signal}, which is not in the log`);
    this.#early.clear();
  }

  #report(index: number, what: string): void {
    if (this.#problems.length >= named) this.#more += 1;
    else this.#problems.push({ check: 'entries', message: `Entry ${index} ${what}` });
  }
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function parsed(text: Buffer): Entry | undefined {
  try {
    const value: unknown = JSON.parse(text.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Entry)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A value as canonical JSON (RFC 8785). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
