import type { Aggregates } from '@sigcast/aggregates';
import {
  type Idempotency,
  maxPastTotal,
  type SignalFilter,
  signalStatuses,
  type Total,
} from '@sigcast/contracts';
import { createdIn, duplicateWrites, idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { NewRecord, SignalChange, SignalStore } from '../domain/ports.ts';
import { conditionsQuery, readPage, type SignalsQuery, tokenQuery } from './page-query.ts';
import {
  indexNames,
  newDocument,
  relayDueAt,
  type SignalDocument,
  type SignalModel,
  signalFields,
  signalsCollection,
  toSignal,
} from './signal-document.ts';

/** Signals that requests write at the same time are written together, so that one commit is enough for many. */
const batches = { most: 100, atOnce: 2 };

/** Signals in MongoDB, with totals from the aggregates. */
export function mongoSignalStore(
  model: SignalModel,
  aggregates: Pick<Aggregates, 'readNow' | 'dirtyInsert' | 'dirtyUpdate'>,
): SignalStore {
  const insert = (records: readonly NewRecord[]) =>
    storeCall(() => {
      const documents = records.map((record) => newDocument(record, aggregates.dirtyInsert()));
      return insertAll(model, documents);
    });
  const insertTogether = inBatches(async (records: readonly NewRecord[]) => {
    const taken = await insert(records);
    return records.map((_, index) => taken.has(index));
  }, batches);
  const findAll = async (filter: { readonly _id: string | { readonly $in: readonly string[] } }) => {
    const found = await model.find(filter, storedFields).lean<StoredFields[]>();
    return new Map(
      found.map(({ outbox: waitingEvents, imported_at: importedAt, ...document }) => [
        document._id,
        { signal: toSignal(document), waitingEvents, importedAt },
      ]),
    );
  };
  return {
    insert: async (records) => {
      const [first] = records;
      if (first === undefined || records.length > 1) return insert(records);
      return (await insertTogether(first)) ? new Set([0]) : new Set();
    },

    holders: (keys) => storeCall(() => findHolders(model, keys)),

    releaseKey: (id, { key, at }) =>
      storeCall(async () => {
        await model.updateOne(
          { _id: id, 'idempotency.key': key, 'idempotency.at': at },
          { $unset: { idempotency: '' } },
        );
      }),

    find: (id) => storeCall(async () => (await findAll({ _id: id })).get(id)),

    findAll: (ids) => storeCall(() => findAll({ _id: { $in: ids } })),

    replace: (changes) =>
      storeCall(async () => {
        if (changes.length === 0) return 0;
        const updates = changes.map((change) => ({ updateOne: replacement(change, aggregates.dirtyUpdate) }));
        // The driver's own call: the updates are built by this service and need no casting.
        const { matchedCount } = await model.db
          .collection<SignalDocument>(signalsCollection)
          .bulkWrite(updates, { ordered: false });
        return matchedCount;
      }),

    page: (query) =>
      storeCall(async () => {
        const documents = await readPage(model, query);
        return documents.map((document) => toSignal(document));
      }),

    pageById: ({ after, limit }) =>
      storeCall(async () => {
        const documents = await model
          .find(after === undefined ? {} : { _id: { $gt: after } }, { outbox: 0, idempotency: 0 })
          .sort({ _id: 1 })
          .limit(limit)
          .lean();
        return documents.map((document) => toSignal(document));
      }),

    count: async (filter) => {
      const query = tokenQuery(filter) ?? (filter.conditions && conditionsQuery(filter));
      if (!query) return { total: await countSignals(aggregates, filter) };
      return storeCall(() => countOneByOne(model, query, filter));
    },
  };
}

/** What is read of a signal that may be changed. */
const storedFields = {
  rev: 1,
  token: 1,
  metrics: 1,
  status: 1,
  type: 1,
  is_premium: 1,
  created_at: 1,
  imported_at: 1,
  decision: 1,
  origin: 1,
  realizable: 1,
  observed_at: 1,
  ath_at: 1,
  updated_at: 1,
  outbox: 1,
};
type StoredFields = Omit<SignalDocument, 'idempotency'>;

/** The write of a change, if the signal is still of the revision before it. */
function replacement({ signal, event }: SignalChange, dirtyUpdate: object) {
  return {
    filter: { _id: signal.id, rev: signal.rev - 1 },
    update: [
      {
        $set: {
          ...literals(signalFields(signal)),
          // Totals are by status, which `signal.updated` does not change.
          ...(event.type === 'signal.updated' ? {} : { dirty: dirtyUpdate }),
          outbox: { $concatArrays: ['$outbox', [{ $literal: event }]] },
          // Keeps the earlier instant where other events wait.
          relay_due_at: { $min: ['$relay_due_at', relayDueAt(signal)] },
        },
      },
    ],
  };
}

/** Counts by the conditions of the page, one by one, so that page and total agree. */
async function countOneByOne(
  model: SignalModel,
  { conditions, index }: SignalsQuery,
  filter: SignalFilter,
): Promise<Total> {
  const found = await model
    .countDocuments({ ...conditions, ...createdIn(filter) })
    .hint(index)
    .limit(maxPastTotal + 1);
  return { total: Math.min(found, maxPastTotal), capped: found > maxPastTotal };
}

async function countSignals(aggregates: Pick<Aggregates, 'readNow'>, filter: SignalFilter): Promise<number> {
  const { types, statuses = signalStatuses, createdAfter, createdUntil } = filter;
  let total = 0;
  for (const [type, [, ...counts]] of await aggregates.readNow({
    after: createdAfter,
    until: createdUntil,
  })) {
    if (!(types?.includes(type) ?? true)) continue;
    for (const status of new Set(statuses)) total += counts[signalStatuses.indexOf(status)] ?? 0;
  }
  return total;
}

/** The fields as literals for an update pipeline, which would read a text with `$` as an expression. */
function literals(fields: object): Record<string, object> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { $literal: value as unknown }]),
  );
}

/** @returns the positions of the documents that a unique index refused. */
async function insertAll(
  model: SignalModel,
  documents: readonly SignalDocument[],
): Promise<ReadonlySet<number>> {
  if (documents.length === 0) return new Set();
  try {
    // The driver's own insert: the documents are built by this service and need no casting.
    await model.db
      .collection<SignalDocument>(signalsCollection)
      .insertMany([...documents], { ordered: false });
    return new Set();
  } catch (error) {
    const duplicates = duplicateWrites(error);
    if (!duplicates) throw error;
    return duplicates;
  }
}

async function findHolders(model: SignalModel, keys: readonly string[]) {
  const holders = new Map<string, { id: string; idempotency: Idempotency }>();
  for (const some of idBatches(keys)) {
    const documents = await model
      .find({ 'idempotency.key': { $in: some } }, { idempotency: 1 })
      .hint(indexNames.idempotency)
      .lean();
    for (const { _id, idempotency } of documents) {
      if (idempotency) holders.set(idempotency.key, { id: _id, idempotency });
    }
  }
  return holders;
}
