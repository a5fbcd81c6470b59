/** What the log says of a signal. */
export type LoggedSignal = {
  readonly index: number;
  readonly type: string;
  readonly is_premium: boolean;
  readonly created_at: string;
  readonly chain: string;
  readonly contract: string;
  readonly symbol: string;
  readonly mcap_entry: number;
  /** What made it; null where the producer did not say. Undefined where the entry is made from a state, which does not say. */
  readonly origin: Entry['origin'];
  status: string;
  /** The number of the newest entry that decided it. */
  decided?: number;
  /** What the entry of its status says; undefined where the entry is made from a state. */
  outcome?: Pick<Entry, 'decided_at' | 'rule' | 'observations'> | undefined;
  /** The highest market cap when it was decided, US dollars. */
  mcap_ath?: number;
  /** The result of a position that has ended. */
  realizable?: Entry['realizable'];
  /** What the newest entry says that could be earned, percent. */
  roi?: number;
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

/** By how much the clocks of those who make signals and of the log may differ. Milliseconds. */
const skewMs = 600_000;
/** What is known later than this was not published when it says that it happened. Milliseconds. */
const lateMs = 3_600_000;

type Entry = {
  readonly v?: unknown;
  readonly kind?: unknown;
  readonly signal?: unknown;
  readonly known_at?: unknown;
  readonly created_at?: unknown;
  readonly decided_at?: unknown;
  readonly type?: unknown;
  readonly is_premium?: unknown;
  readonly token?: { readonly chain?: unknown; readonly contract?: unknown; readonly symbol?: unknown };
  readonly metrics?: { readonly mcap_entry?: unknown; readonly mcap_ath?: unknown };
  readonly origin?: { readonly rule?: unknown; readonly observed_at?: unknown } | null;
  readonly from_state?: unknown;
  readonly status?: unknown;
  readonly rule?: unknown;
  readonly observations?: unknown;
  readonly realizable?: { readonly [member: string]: unknown } | null;
};

/** The record that the entries of a log are, and what is wrong with them. */
export class TrackRecord {
  readonly signals = new Map<string, LoggedSignal>();
  /** Signals and outcomes that became known more than an hour after they say that they were created or decided. */
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
    if (entry === undefined) {
      this.#report(index, 'is not canonical JSON');
      return;
    }
    try {
      this.#addEntry(index, entry);
    } catch {
      // Who writes the log may want that nobody gets to its end.
      this.#report(index, 'has members that can’t be read');
    }
  }

  #addEntry(index: number, entry: Entry): void {
    const { v, kind, signal, known_at } = entry;
    const knownMs = typeof known_at === 'string' ? Date.parse(known_at) : Number.NaN;
    if (v !== 1 || typeof signal !== 'string' || Number.isNaN(knownMs)) {
      this.#report(index, 'is not an entry of version 1');
      return;
    }
    if (knownMs < this.#knownMs)
      this.#report(
        index,
        `is dated back: known at ${known_at}, behind one known at ${instant(this.#knownMs)}`,
      );
    this.#knownMs = Math.max(this.#knownMs, knownMs);
    if (kind === 'signal') this.#addSignal(index, signal, entry, knownMs);
    else if (kind === 'outcome') this.#addOutcome(index, signal, entry, knownMs);
    else if (kind === 'correction') this.corrections += 1;
    else this.#report(index, `has the kind ${String(kind)}`);
  }

  /** All problems of the entries so far; those that are not named as their number. */
  get found(): readonly Problem[] {
    const early = [...this.#early].flatMap(([signal, outcomes]) =>
      outcomes.map(({ index }) => problemOf(index, `decides the signal ${signal}, which is not in the log`)),
    );
    const all = [...this.#problems, ...early];
    const more = all.length - named + this.#more;
    return more <= 0
      ? all
      : [...all.slice(0, named), { check: 'entries', message: `and ${more} more problems of entries` }];
  }

  #addSignal(index: number, signal: string, entry: Entry, knownMs: number): void {
    const { type, is_premium, created_at, token, metrics, origin = null, from_state } = entry;
    if (this.signals.has(signal)) {
      this.#report(index, `is a second entry of the signal ${signal}`);
      return;
    }
    this.#lookAtTime(index, 'created', created_at, knownMs);
    this.signals.set(signal, {
      index,
      type: String(type),
      is_premium: is_premium === true,
      created_at: String(created_at),
      chain: String(token?.chain),
      contract: String(token?.contract),
      symbol: String(token?.symbol),
      mcap_entry: Number(metrics?.mcap_entry),
      origin: from_state === true ? undefined : origin,
      status: 'active',
    });
    const early = this.#early.get(signal) ?? [];
    this.#early.delete(signal);
    for (const { index: at, entry: outcome, knownMs: atMs } of early)
      this.#addOutcome(at, signal, outcome, atMs);
  }

  #addOutcome(index: number, signal: string, entry: Entry, knownMs: number): void {
    const known = this.signals.get(signal);
    if (known === undefined) {
      // Events may come in any order.
      this.#early.set(signal, [...(this.#early.get(signal) ?? []), { index, entry, knownMs }]);
      return;
    }
    const { status, realizable, decided_at, metrics, rule, observations, from_state } = entry;
    const to = joined(known.status, String(status));
    if (to === undefined) {
      this.#report(index, `decides ${signal} ${String(status)}, which is ${known.status} already`);
      return;
    }
    this.#lookAtTime(index, 'decided', decided_at, knownMs);
    if (Date.parse(String(decided_at)) < Date.parse(known.created_at) - skewMs)
      this.#report(
        index,
        `is dated back: decided at ${String(decided_at)}, of a signal created at ${known.created_at}`,
      );
    if (to === status) known.outcome = from_state === true ? undefined : { decided_at, rule, observations };
    known.status = to;
    known.decided = Math.max(index, known.decided ?? 0);
    if (typeof metrics?.mcap_ath === 'number')
      known.mcap_ath = Math.max(known.mcap_ath ?? 0, metrics.mcap_ath);
    if ((realizable?.exit ?? null) !== null) known.realizable = realizable;
    const roi = realizable?.roi;
    if (typeof roi === 'number' && known.decided === index) {
      this.positions += known.roi === undefined ? 1 : 0;
      this.positionsRoi += roi - (known.roi ?? 0);
      known.roi = roi;
    }
  }

  /** Outcomes whose signal has not come yet. */
  readonly #early = new Map<
    string,
    { readonly index: number; readonly entry: Entry; readonly knownMs: number }[]
  >();

  /** Counts what is known late, and names what is known before it happened. */
  #lookAtTime(index: number, what: 'created' | 'decided', at: unknown, knownMs: number): void {
    const atMs = Date.parse(String(at));
    if (knownMs - atMs > lateMs) this.late += 1;
    if (!(atMs <= knownMs + skewMs))
      this.#report(index, `is dated ahead: ${what} at ${String(at)}, known at ${instant(knownMs)}`);
  }

  #report(index: number, what: string): void {
    if (this.#problems.length >= named) this.#more += 1;
    else this.#problems.push(problemOf(index, what));
  }
}

function problemOf(index: number, what: string): Problem {
  return { check: 'entries', message: `Entry ${index} ${what}` };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function parsed(text: Buffer): Entry | undefined {
  try {
    const value: unknown = JSON.parse(text.toString('utf8'));
    const isEntry = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isEntry && Buffer.from(canonical(value)).equals(text) ? (value as Entry) : undefined;
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
