import { type ErrorDetail, type NewSignal, unavailable } from '@sigcast/contracts';
import { createSignal } from './create-signal.ts';
import { fingerprint, idempotencyWindowMs } from './idempotency.ts';
import type { NewRecord, WriteDeps } from './ports.ts';
import { type Signal, signalEvent } from './signal.ts';

/** A signal to create, with the idempotency key it comes under if it has one. */
export type Ingest = { readonly input: NewSignal; readonly key?: string | undefined };

/** What became of one of them. */
export type IngestOutcome =
  | { readonly kind: 'created'; readonly signal: Signal }
  /** It was created before under the same key; the signal is as it was then. */
  | { readonly kind: 'repeated'; readonly signal: Signal }
  /** The key was used for another signal. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'rejected'; readonly details: readonly ErrorDetail[] };

/** Each round but the first follows a key that changed hands meanwhile. */
const maxRounds = 5;

/**
 * Creates signals, each at most once per key, and sends their events on their way.
 * @returns one outcome for each, in the same order.
 * @throws {SigcastError} SERVICE_UNAVAILABLE; what was written by then stays.
 */
export async function ingestSignals(
  deps: WriteDeps,
  items: readonly Ingest[],
): Promise<readonly IngestOutcome[]> {
  const outcomes: IngestOutcome[] = [];
  let open = items.map((item, index) => ({ item, index }));
  for (let round = 1; open.length > 0; round++) {
    if (round > maxRounds) throw unavailable('This idempotency key');
    const drafts: { index: number; item: Ingest; signal: Signal; record: NewRecord }[] = [];
    for (const { item, index } of open) {
      const draft = draftRecord(deps, item);
      if (draft.kind === 'rejected') outcomes[index] = draft;
      else drafts.push({ index, item, signal: draft.signal, record: draft.record });
    }
    const taken = await deps.store.insert(drafts.map(({ record }) => record));
    const created = drafts.filter((_, position) => !taken.has(position));
    for (const { index, signal } of created) outcomes[index] = { kind: 'created', signal };
    deps.wakeRelay(created.map(({ signal }) => signal.id));

    const repeated = drafts.filter((_, position) => taken.has(position));
    open = await settleRepeated(deps, repeated, outcomes);
  }
  return outcomes;
}

function draftRecord(deps: WriteDeps, { input, key }: Ingest) {
  const now = deps.now();
  const creation = createSignal(input, { now, newId: deps.newSignalId });
  if (creation.kind === 'rejected') return creation;
  const { signal } = creation;
  const record: NewRecord = {
    signal,
    event: signalEvent('signal.new', signal, deps.newEventId()),
    ...(key === undefined ? {} : { idempotency: { key, hash: fingerprint(input), at: now } }),
  };
  return { kind: 'drafted', signal, record } as const;
}

/** Compares with what holds the key. @returns those to try again, for their key is free now. */
async function settleRepeated(
  deps: WriteDeps,
  repeated: readonly { index: number; item: Ingest; record: NewRecord }[],
  outcomes: IngestOutcome[],
): Promise<{ index: number; item: Ingest }[]> {
  if (repeated.length === 0) return [];
  const keys = repeated.flatMap(({ item }) => item.key ?? []);
  const holders = await deps.store.holders(keys);
  const again: { index: number; item: Ingest }[] = [];
  for (const { index, item, record } of repeated) {
    const holder = item.key === undefined ? undefined : holders.get(item.key);
    if (!holder) {
      again.push({ index, item });
    } else if (deps.now().getTime() - holder.idempotency.at.getTime() >= idempotencyWindowMs) {
      await deps.store.releaseKey(holder.id, holder.idempotency);
      again.push({ index, item });
    } else if (holder.idempotency.hash === record.idempotency?.hash) {
      // Made again from the same input, at the same time: the very signal the first answer showed.
      const first = createSignal(item.input, { now: holder.idempotency.at, newId: () => holder.id });
      outcomes[index] = first.kind === 'created' ? { kind: 'repeated', signal: first.signal } : first;
    } else {
      outcomes[index] = { kind: 'conflict' };
    }
  }
  return again;
}
