import { type EventPriority, isOfImport, type SignalEventType } from '@sigcast/contracts';
import { canonicalJson, type JsonValue } from '@sigcast/tlog';
import type { Revision, RevisionEvent } from '../revision.ts';

/** The version of what entries say. */
const entryVersion = 1;

/** What an entry of the log is about. */
export type EntryKind = 'signal' | 'outcome' | 'correction';

/** An entry that waits for the log, or is in it. */
export type LogEntry = {
  /** What it is about. The log has at most one entry about it. */
  readonly subject: string;
  readonly kind: EntryKind;
  /** The signal's id. */
  readonly signal: string;
  /** The entry itself: canonical JSON. While it waits, it does not say yet when it got into the log (`stamped`). */
  readonly text: string;
};

/** The most bytes of an entry (C2SP tlog-tiles: its length has two bytes), without its time. */
const maxEntryBytes = 65_535 - ',"known_at":"2026-01-01T00:00:00.000Z"'.length;

/** An entry that waited, with the instant at which it gets into the log: `known_at`. Nobody can make up a past after it. */
export function stamped({ text, ...entry }: LogEntry, knownAt: Date): LogEntry {
  const members = JSON.parse(text) as { readonly [name: string]: JsonValue };
  return { ...entry, text: canonicalJson({ ...members, known_at: knownAt.toISOString() }) };
}

/** When an entry got into the log. */
export function knownAt(text: string): Date {
  return new Date((JSON.parse(text) as { readonly known_at: string }).known_at);
}

/** What an entry is about, of which the log has one at most: a signal, each status that it gets, each correction. */
type About =
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'outcome'; readonly signal: string; readonly status: string }
  | { readonly kind: 'correction'; readonly signal: string; readonly id: string };

function subjectOf(about: About): string {
  switch (about.kind) {
    case 'signal':
      return `signal:${about.signal}`;
    case 'outcome':
      return `outcome:${about.signal}:${about.status}`;
    case 'correction':
      return `correction:${about.id}`;
  }
}

/** The entry that a log has as this text. @throws {SyntaxError} for a text that is not JSON. */
export function entryOfText(text: string): LogEntry {
  const about = JSON.parse(text) as About;
  return { subject: subjectOf(about), kind: about.kind, signal: about.signal, text };
}

const outcomes: ReadonlySet<string> = new Set<SignalEventType>([
  'signal.winner',
  'signal.dead',
  'signal.rugged',
]);

/** The entry of an event: a new signal, or the decision of its outcome. Undefined for an event that the log has no entry of. */
export function entryOf(event: RevisionEvent, priority: EventPriority): LogEntry | undefined {
  const { type, occurred_at, data, change, realizable } = event;
  const { id, metrics, created_at } = data;
  if (type === 'signal.new') {
    const { chain, contract, symbol } = data.token;
    const { mcap_entry, liquidity, volume_24h, holders } = metrics;
    return logEntry(
      { kind: 'signal', signal: id },
      {
        type: data.type,
        token: { chain, contract, symbol },
        is_premium: data.is_premium,
        created_at,
        metrics: { mcap_entry, liquidity, volume_24h, holders },
        source: change.source,
        origin: change.origin,
        imported: isOfImport(type, priority) ? true : undefined,
      },
    );
  }
  if (!outcomes.has(type)) return undefined;
  const { mcap_entry, mcap_current, mcap_ath } = metrics;
  return logEntry(
    { kind: 'outcome', signal: id, status: data.performance.status },
    {
      decided_at: occurred_at,
      rule: change.evidence?.rule ?? null,
      observations: change.evidence?.observations ?? [],
      metrics: { mcap_entry, mcap_current, mcap_ath },
      time_to_ath_hours: data.performance.time_to_ath_hours,
      // Read as JSON, so that it is one.
      realizable: (realizable as JsonValue | undefined) ?? null,
      source: change.source,
    },
  );
}

/**
 * The entries of a signal whose events the log has not got, from its present state: `from_state` says that they are late.
 * @param before only of what happened before this instant: an event of later may be on its way, and says more.
 */
export function entriesOfState(
  { id, token, type, isPremium, createdAt, status, mcapEntry, mcapAth, athHours, observation }: Revision,
  before: Date,
): LogEntry[] {
  if (createdAt >= before) return [];
  const { chain, contract, symbol } = token;
  const late = { source: observation.source, from_state: true };
  const signal = logEntry(
    { kind: 'signal', signal: id },
    {
      type,
      token: { chain, contract, symbol },
      is_premium: isPremium,
      created_at: createdAt.toISOString(),
      metrics: { mcap_entry: mcapEntry },
      ...late,
    },
  );
  if (status === 'active' || observation.recordedAt >= before) return [signal];
  const outcome = logEntry(
    { kind: 'outcome', signal: id, status },
    {
      decided_at: observation.recordedAt.toISOString(),
      rule: null,
      observations: [],
      metrics: { mcap_entry: mcapEntry, mcap_current: observation.mcap, mcap_ath: mcapAth },
      time_to_ath_hours: athHours,
      realizable: null,
      ...late,
    },
  );
  return [signal, outcome];
}

/** The entry of a correction: what was wrong of a signal, and why. Nothing is ever removed. */
export function correctionOf({
  id,
  signal,
  why,
}: {
  readonly id: string;
  readonly signal: string;
  readonly why: string;
}): LogEntry {
  return logEntry({ kind: 'correction', signal, id }, { why });
}

function logEntry(about: About, members: { readonly [name: string]: JsonValue | undefined }): LogEntry {
  const text = canonicalJson({ v: entryVersion, ...about, ...members });
  if (Buffer.byteLength(text) > maxEntryBytes)
    throw new RangeError(`an entry has at most ${maxEntryBytes} bytes`);
  return { subject: subjectOf(about), kind: about.kind, signal: about.signal, text };
}
