import { type ErrorDetail, type EventPriority, type NewSignal, unavailable } from '@sigcast/contracts';
import { createSignal } from './create-signal.ts';
import { fingerprint, idempotencyWindowMs } from './idempotency.ts';
import type { EventTrace, NewRecord, WriteDeps } from './ports.ts';
import { type Signal, signalEvent, withTrace } from './signal.ts';

/** A signal to create, with the idempotency key it comes under if it has one. */
export type Ingest = { readonly input: NewSignal; readonly key?: string | undefined };

/** What became of one of them. */
export type IngestOutcome =
  | { readonly kind: 'created'; readonly signal: Signal; readonly eventId: string }
  /** It was created before under the same key; the signal is as it was then. */
  | { readonly kind: 'repeated'; readonly signal: Signal }
  /** The key was used for another signal. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'rejected'; readonly details: readonly ErrorDetail[] };

/** Each round but the first follows a key that changed hands meanwhile. */
const maxRounds = 5;

type Open = Ingest & { readonly index: number };

/**
 * Creates signals, each at most once per key, and sends their events on their way, bulk ones behind everybody's live ones.
 * @returns one outcome for each, in the same order.
 * @throws {SigcastError} SERVICE_UNAVAILABLE; what was written by then stays.
 */
export async function ingestSignals(
  deps: WriteDeps,
  items: readonly Ingest[],
  priority: EventPriority,
): Promise<readonly IngestOutcome[]> {
  const outcomes: IngestOutcome[] = [];
  let open: readonly Open[] = items.map((item, index) => ({ ...item, index }));
  for (let round = 1; open.length > 0; round++) {
    if (round > maxRounds) throw unavailable('This idempotency key');
    // Looking first spares a repeated import a refused write per line. The unique key decides all the same.
    open = await settleRepeated(deps, open, outcomes);
    open = await createAll(deps, open, { outcomes, priority });
  }
  return outcomes;
}

/** Settles those whose key is held, by comparing with what it was used for. @returns the others. */
async function settleRepeated(
  deps: WriteDeps,
  open: readonly Open[],
  outcomes: IngestOutcome[],
): Promise<readonly Open[]> {
  const keys = open.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return open;
  const holders = await deps.store.holders(keys);
  const others: Open[] = [];
  for (const item of open) {
    const holder = item.key === undefined ? undefined : holders.get(item.key);
    if (!holder) {
      others.push(item);
    } else if (deps.now().getTime() - holder.idempotency.at.getTime() >= idempotencyWindowMs) {
      await deps.store.releaseKey(holder.id, holder.idempotency);
      others.push(item);
    } else if (holder.idempotency.hash === fingerprint(item.input)) {
      // Made again from the same input, at the same time: the very signal the first answer showed.
      const first = createSignal(item.input, { now: holder.idempotency.at, newId: () => holder.id });
      outcomes[item.index] = first.kind === 'created' ? { kind: 'repeated', signal: first.signal } : first;
    } else {
      outcomes[item.index] = { kind: 'conflict' };
    }
  }
  return others;
}

/** Writes those that can be. @returns those whose key someone took since it was looked for. */
async function createAll(
  deps: WriteDeps,
  open: readonly Open[],
  { outcomes, priority }: { readonly outcomes: IngestOutcome[]; readonly priority: EventPriority },
): Promise<readonly Open[]> {
  const traceOf = deps.traceOf[priority === 'live' ? 'request' : 'import'];
  const drafts: { item: Open; record: NewRecord; trace: EventTrace | undefined }[] = [];
  for (const item of open) {
    const now = deps.now();
    const creation = createSignal(item.input, { now, newId: deps.newSignalId });
    if (creation.kind === 'rejected') outcomes[item.index] = creation;
    else {
      const trace = traceOf();
      const { traceparent } = trace ?? {};
      const record = newRecord(deps, item, { signal: creation.signal, now, priority, traceparent });
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
    created.map(({ record: { signal, event } }) => ({
      id: signal.id,
      priority,
      pending: { id: signal.id, rev: signal.rev, events: [event], priority },
    })),
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
    traceparent,
  }: { signal: Signal; now: Date; priority: EventPriority; traceparent: string | undefined },
): NewRecord {
  return {
    signal,
    event: withTrace(signalEvent('signal.new', signal, deps.newEventId()), traceparent),
    ...(priority === 'bulk' ? { importedAt: now } : {}),
    ...(key === undefined ? {} : { idempotency: { key, hash: fingerprint(input), at: now } }),
  };
}
