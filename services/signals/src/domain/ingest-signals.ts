import {
  type ChangeSource,
  type ErrorDetail,
  type EventPriority,
  idempotencyLifeMs,
  type NewSignal,
  unavailable,
} from '@sigcast/contracts';
import { createSignal } from './create-signal.ts';
import { pendingSignal } from './event-priority.ts';
import { fingerprint } from './idempotency.ts';
import type { EventTrace, NewRecord, WriteDeps } from './ports.ts';
import { type Signal, signalEvent, withTrace } from './signal.ts';

/** A signal to create, with its idempotency key if it has one. */
type Ingest = { readonly input: NewSignal; readonly key?: string | undefined };

/** The result for one signal. */
export type IngestOutcome =
  | { readonly kind: 'created'; readonly signal: Signal; readonly eventId: string }
  /** The signal was created before under the same key. It is shown as it was then. */
  | { readonly kind: 'repeated'; readonly signal: Signal }
  /** The key was used for a different request. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'rejected'; readonly details: readonly ErrorDetail[] };

/** The most attempts. Another one is needed when a key was taken or released between the look-up and the write. */
const maxAttempts = 5;

/** How the events of new signals are sent, and who made the signals. */
type Origin = { readonly priority: EventPriority; readonly source: ChangeSource };

type OpenItem = Ingest & { readonly index: number };

/**
 * Creates signals, each at most once per key, and hands their events to the relay.
 * @returns one outcome for each, in the same order.
 * @throws {SigcastError} SERVICE_UNAVAILABLE. Signals written by then stay.
 */
export async function ingestSignals(
  deps: WriteDeps,
  items: readonly Ingest[],
  origin: Origin,
): Promise<readonly IngestOutcome[]> {
  const outcomes: IngestOutcome[] = [];
  let open: readonly OpenItem[] = items.map((item, index) => ({ ...item, index }));
  for (let attempt = 1; open.length > 0; attempt++) {
    if (attempt > maxAttempts) throw unavailable('This idempotency key');
    // The look-up spares a repeated import one refused write per line. The unique index decides.
    open = await answerRepeated(deps, open, outcomes);
    open = await createAll(deps, open, { outcomes, origin });
  }
  return outcomes;
}

/** Answers the items whose key was used before. @returns the other items. */
async function answerRepeated(
  deps: WriteDeps,
  open: readonly OpenItem[],
  outcomes: IngestOutcome[],
): Promise<readonly OpenItem[]> {
  const keys = open.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return open;
  const holders = await deps.store.holders(keys);
  const others: OpenItem[] = [];
  for (const item of open) {
    const holder = item.key === undefined ? undefined : holders.get(item.key);
    if (!holder) {
      others.push(item);
    } else if (deps.now().getTime() - holder.idempotency.at.getTime() >= idempotencyLifeMs) {
      await deps.store.releaseKey(holder.id, holder.idempotency);
      others.push(item);
    } else if (holder.idempotency.hash === fingerprint(item.input)) {
      // The same input and time make the signal that the first answer showed.
      const first = createSignal(item.input, { now: holder.idempotency.at, newId: () => holder.id });
      outcomes[item.index] = first.kind === 'created' ? { kind: 'repeated', signal: first.signal } : first;
    } else {
      outcomes[item.index] = { kind: 'conflict' };
    }
  }
  return others;
}

/** Writes the signals that are valid. @returns the items whose key was taken since the look-up. */
async function createAll(
  deps: WriteDeps,
  open: readonly OpenItem[],
  { outcomes, origin }: { readonly outcomes: IngestOutcome[]; readonly origin: Origin },
): Promise<readonly OpenItem[]> {
  const { priority } = origin;
  const traceOf = deps.traceOf[priority === 'live' ? 'request' : 'import'];
  const drafts: { item: OpenItem; record: NewRecord; trace: EventTrace | undefined }[] = [];
  for (const item of open) {
    const now = deps.now();
    const creation = createSignal(item.input, { now, newId: deps.newSignalId });
    if (creation.kind === 'rejected') outcomes[item.index] = creation;
    else {
      const trace = traceOf();
      const { traceparent } = trace ?? {};
      const record = newRecord(deps, item, { ...origin, signal: creation.signal, now, traceparent });
      drafts.push({ item, record, trace });
    }
  }
  const taken = await deps.store.insert(drafts.map(({ record }) => record));
  const created = drafts.filter((_, position) => !taken.has(position));
  for (const { item, record, trace } of created) {
    trace?.stored();
    outcomes[item.index] = { kind: 'created', signal: record.signal, eventId: record.event.id };
    deps.noteStored(record.event, priority);
  }
  deps.notifyRelay(
    created.map(({ record: { signal, event, importedAt } }) => pendingSignal(signal, [event], importedAt)),
  );
  return drafts.filter((_, position) => taken.has(position)).map(({ item }) => item);
}

function newRecord(
  deps: WriteDeps,
  { input, key }: Ingest,
  {
    signal,
    now,
    priority,
    source,
    traceparent,
  }: Origin & { signal: Signal; now: Date; traceparent: string | undefined },
): NewRecord {
  return {
    signal,
    event: withTrace(signalEvent('signal.new', signal, { id: deps.newEventId(), source }), traceparent),
    ...(priority === 'bulk' ? { importedAt: now } : {}),
    ...(key === undefined ? {} : { idempotency: { key, hash: fingerprint(input), at: now } }),
  };
}
