import { randomUUID } from 'node:crypto';
import { dueBy, storeCall } from '@sigcast/mongo';
import { eventPriority, pendingSignal } from '../domain/event-priority.ts';
import type { PendingSignal } from '../domain/ports.ts';
import type { OutboxState } from '../metrics.ts';
import type { Claim, Outbox, RelayedSignal } from '../relay/outbox.ts';
import { indexNames, type SignalDocument, type SignalModel } from './signal-document.ts';

/** The most signals of one claim: for more values in one `$in` the development engine's planner reads the whole index. */
const claimSignals = 100;
const outboxFields = { rev: 1, outbox: 1, imported_at: 1 } as const;

const emptyClaim: Claim = { token: '', signals: [] };

/** The events embedded in the signals' documents. */
export function mongoOutbox(model: SignalModel): Outbox {
  return {
    claim: (now, until) => storeCall(() => claim(model, now, until)),

    removePublished: (signals) => storeCall(() => removePublished(model, signals)),

    release: ({ token, signals }, now) =>
      storeCall(async () => {
        await model.updateMany(
          { _id: { $in: signals.map(({ id }) => id) }, relay_claim: token },
          { $set: { relay_due_at: now } },
        );
      }),
  };
}

/** The most signals that {@link outboxState} counts. */
const maxCounted = 10_000;
/** The most signals whose events {@link outboxState} reads. */
const maxRead = 100;
/** The timeout of {@link outboxState}’s queries, in milliseconds: no longer than a scrape of the metrics waits. */
const readTimeoutMs = 1_000;

/** The number of signals with waiting events, up to 10,000, and the oldest events of the 100 signals due first. */
export function outboxState(model: SignalModel): Promise<OutboxState> {
  // A comparison is answered by the index alone; `$exists` would read the signals.
  const waiting = { relay_due_at: { $gte: new Date(0) } };
  return storeCall(async () => {
    const [signals, first] = await Promise.all([
      model
        .countDocuments(waiting, { limit: maxCounted, maxTimeMS: readTimeoutMs })
        .hint(indexNames.relayDue),
      model
        .find(waiting, { 'outbox.occurred_at': 1, imported_at: 1 })
        .sort({ relay_due_at: 1 })
        .limit(maxRead)
        .hint(indexNames.relayDue)
        .maxTimeMS(readTimeoutMs)
        .lean<Pick<SignalDocument, 'outbox' | 'imported_at'>[]>(),
    ]);
    const oldestAt: { live?: Date; bulk?: Date } = {};
    for (const { outbox, imported_at } of first) {
      const [oldest, newest] = [outbox[0], outbox.at(-1)].map(
        (event) => event && new Date(event.occurred_at),
      );
      if (oldest === undefined || newest === undefined) continue;
      const priority = eventPriority(newest, imported_at);
      const known = oldestAt[priority];
      if (known === undefined || oldest < known) oldestAt[priority] = oldest;
    }
    return { signals, oldestAt };
  });
}

/** Claims by moving `relay_due_at`: the first replica to do so has the signal, as it is not due any more for the others. */
async function claim(model: SignalModel, now: Date, until: Date): Promise<Claim> {
  const token = randomUUID();
  const isDue = { relay_due_at: dueBy(now) };
  for (;;) {
    const due = await model
      .find(isDue, outboxFields)
      .sort({ relay_due_at: 1 })
      .limit(claimSignals)
      .hint(indexNames.relayDue)
      .lean();
    if (due.length === 0) return emptyClaim;
    const _id = { $in: due.map((document) => document._id) };
    const { matchedCount } = await model.updateMany(
      { _id, ...isDue },
      { $set: { relay_due_at: until, relay_claim: token } },
      { hint: { _id: 1 } },
    );
    // Usually no other relay is at work, so all found signals are claimed and need not be read again.
    const claimed =
      matchedCount === due.length ? due : await model.find({ _id, relay_claim: token }, outboxFields).lean();
    // If other relays have claimed all of these meanwhile, the next ones are tried.
    if (claimed.length > 0) return { token, signals: claimed.map(toPending) };
  }
}

function toPending({
  _id: id,
  rev,
  outbox: events,
  imported_at: importedAt,
}: Pick<SignalDocument, '_id' | 'rev' | 'outbox' | 'imported_at'>): PendingSignal {
  return pendingSignal({ id, rev }, events, importedAt);
}

async function removePublished(model: SignalModel, signals: readonly RelayedSignal[]): Promise<void> {
  const isComplete = ({ events, relayedCount }: RelayedSignal) => relayedCount === events.length;
  const left = [
    ...signals.filter((signal) => !isComplete(signal)),
    ...(await emptyOutboxes(model, signals.filter(isComplete))),
  ];
  const relayed = left
    .flatMap(({ events, relayedCount }) => events.slice(0, relayedCount))
    .map(({ id }) => id);
  if (relayed.length === 0) return;
  // Outboxes that are empty already do not match. The hint is needed because the ids of events may be many.
  await model.updateMany(
    { _id: { $in: left.map(({ id }) => id) }, 'outbox.id': { $in: relayed } },
    { $pull: { outbox: { id: { $in: relayed } } } },
    { hint: { _id: 1 } },
  );
}

/**
 * Empties outboxes of which every event has been relayed. Each new event raises the revision, so an outbox of the same
 * revision holds only the relayed events. Takes one command with one update for each revision; most signals are at 1.
 *
 * @returns no signals, or all of them when some have changed meanwhile.
 */
async function emptyOutboxes(
  model: SignalModel,
  signals: readonly RelayedSignal[],
): Promise<readonly RelayedSignal[]> {
  if (signals.length === 0) return [];
  const { matchedCount } = await model.bulkWrite(
    [...Map.groupBy(signals, (signal) => signal.rev)].map(([rev, group]) => ({
      updateMany: {
        filter: { _id: { $in: group.map(({ id }) => id) }, rev },
        update: { $set: { outbox: [] }, $unset: { relay_due_at: '', relay_claim: '' } },
      },
    })),
    { ordered: false },
  );
  return matchedCount === signals.length ? [] : signals;
}
