import { randomUUID } from 'node:crypto';
import { openScanWatermark, type ScanWatermark, storeCall } from '@sigcast/mongo';
import { eventPriority } from '../domain/event-priority.ts';
import type { PendingSignal } from '../domain/ports.ts';
import type { OutboxState } from '../metrics.ts';
import type { Claim, Outbox, RelayedSignal } from '../relay/outbox.ts';
import { indexNames, type SignalDocument, type SignalModel } from './signal-document.ts';

/** Values in one `$in`, too: for more than some 100 the development engine's planner reads the whole index. */
const claimedTogether = 100;
const outboxFields = { rev: 1, outbox: 1, imported_at: 1 } as const;

const nothing: Claim = { token: '', signals: [] };

/** The events embedded in the signals' documents. */
export function mongoOutbox(model: SignalModel): Outbox {
  const looks = { watermark: openScanWatermark(), foundSome: false };
  return {
    read: (signalIds) =>
      storeCall(async () => {
        const documents = await model.find({ _id: { $in: signalIds } }, outboxFields).lean();
        return documents.map((document) => pendingSignal(document));
      }),

    claim: (now, until) => storeCall(() => claimAnyDue(model, looks, { now, until })),

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

/** Signals that {@link outboxState} counts, and those whose events it looks at. */
const mostCounted = 10_000;
const mostLookedAt = 100;
/** No read goes on in the store for longer than a scrape waits for it, in milliseconds. */
const readTimeoutMs = 1_000;

/** What waits: a count of up to 10,000 signals, which the index alone tells, and the oldest events of the 100 due first. */
export function outboxState(model: SignalModel): Promise<OutboxState> {
  // A comparison, unlike a question for existence, is answered without a look at the signals.
  const waiting = { relay_due_at: { $gte: new Date(0) } };
  return storeCall(async () => {
    const [signals, first] = await Promise.all([
      model
        .countDocuments(waiting, { limit: mostCounted, maxTimeMS: readTimeoutMs })
        .hint(indexNames.relayDue),
      model
        .find(waiting, { 'outbox.occurred_at': 1, imported_at: 1 })
        .sort({ relay_due_at: 1 })
        .limit(mostLookedAt)
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

/** Mostly nothing is due: found out without a look at all that ever was, which is left to every now and then. */
async function claimAnyDue(
  model: SignalModel,
  looks: { readonly watermark: ScanWatermark; foundSome: boolean },
  { now, until }: { readonly now: Date; readonly until: Date },
): Promise<Claim> {
  const { from, complete } = looks.watermark.beginPass(now);
  const isAnyDue =
    looks.foundSome ||
    from === undefined ||
    (await model
      .findOne({ relay_due_at: { $gte: from, $lte: now } }, { _id: 1 })
      .hint(indexNames.relayDue)
      .lean()) !== null;
  const claimed = isAnyDue ? await claim(model, now, until) : nothing;
  looks.foundSome = claimed.signals.length > 0;
  if (!looks.foundSome) complete();
  return claimed;
}

/** Whoever moves a due instant first has the signal: the others' condition no longer holds. */
async function claim(model: SignalModel, now: Date, until: Date): Promise<Claim> {
  const token = randomUUID();
  const due = { relay_due_at: { $lte: now } };
  for (;;) {
    // Without a bound: with one, the development engine expects few and sorts all there are. Those due come first.
    const waiting = await model
      .find({ relay_due_at: { $exists: true } }, { ...outboxFields, relay_due_at: 1 })
      .sort({ relay_due_at: 1 })
      .limit(claimedTogether)
      .hint(indexNames.relayDue)
      .lean();
    const found = waiting.filter(({ relay_due_at }) => relay_due_at !== undefined && relay_due_at <= now);
    if (found.length === 0) return nothing;
    const _id = { $in: found.map((document) => document._id) };
    const { matchedCount } = await model.updateMany(
      { _id, ...due },
      { $set: { relay_due_at: until, relay_claim: token } },
    );
    // Without another relay at work, as a rule, all that was found is claimed, and needs no second look.
    const claimed =
      matchedCount === found.length
        ? found
        : await model.find({ _id, relay_claim: token }, outboxFields).lean();
    // When others have taken all of them since they were found, those behind them are next.
    if (claimed.length > 0) return { token, signals: claimed.map((document) => pendingSignal(document)) };
  }
}

function pendingSignal({
  _id,
  rev,
  outbox,
  imported_at,
}: Pick<SignalDocument, '_id' | 'rev' | 'outbox' | 'imported_at'>): PendingSignal {
  // The newest decides for all: those before it must not be overtaken by it.
  const newest = outbox.at(-1)?.occurred_at;
  const priority = newest === undefined ? 'live' : eventPriority(new Date(newest), imported_at);
  return { id: _id, rev, events: outbox, priority };
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
  // Those that were emptied after all hold none of these, and are not written again. By `_id`: events may be many.
  await model.updateMany(
    { _id: { $in: left.map(({ id }) => id) }, 'outbox.id': { $in: relayed } },
    { $pull: { outbox: { id: { $in: relayed } } } },
    { hint: { _id: 1 } },
  );
}

/**
 * Empties outboxes, of which every event has been relayed. Each new event raises the revision, so as long as that is
 * the same the outbox holds nothing but what was read. One command, with one update for all of a revision: most are at 1.
 *
 * @returns all signals when some have changed meanwhile.
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
