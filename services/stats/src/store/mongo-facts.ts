import { ensureIndexes, isDuplicateKey, storeCall } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import type { SignalFact } from '../domain/fact.ts';
import type { FactStore } from '../domain/ports.ts';
import { type FactModel, factIndexes, factModel, factsCollection } from './fact-document.ts';

/** The facts in MongoDB. Creates their indexes. */
export async function mongoFacts(connection: Connection): Promise<FactStore> {
  await ensureIndexes(connection, factsCollection, factIndexes);
  const model = factModel(connection);
  return { record: (fact) => storeCall(() => record(model, fact)) };
}

async function record(model: FactModel, { id, createdAt, ...fields }: SignalFact): Promise<void> {
  const older = { _id: id, rev: { $lt: fields.rev } };
  const change = { $set: { ...fields, created_at: createdAt } };
  try {
    await model.updateOne(older, change, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // The signal has a fact: a newer one, or one that was inserted since this upsert looked, which may be older.
    await model.updateOne(older, change);
  }
}
