import type { mongo } from 'mongoose';

/** The driver's methods that look for documents, with the position of their options. */
const optionsAt = {
  find: 1,
  findOne: 1,
  countDocuments: 1,
  distinct: 2,
  aggregate: 1,
  findOneAndUpdate: 2,
  findOneAndReplace: 2,
  findOneAndDelete: 1,
  updateOne: 2,
  updateMany: 2,
  replaceOne: 2,
  deleteOne: 1,
  deleteMany: 1,
  bulkWrite: 1,
} as const satisfies Partial<Record<keyof mongo.Collection, number>>;

/**
 * Gives each query of a database a time, in milliseconds, after which the server ends it (`maxTimeMS`), unless the query says
 * one itself. The driver has no setting for this that leaves the guarantees of writes as they are. Mongoose's models and
 * collections use the driver's collections, which are opened here.
 */
export function limitTime(db: mongo.Db, maxTimeMS: number): void {
  const open = db.collection.bind(db) as (...args: unknown[]) => object;
  const openLimited = (...args: unknown[]) => {
    const collection = open(...args);
    for (const [method, at] of Object.entries(optionsAt)) {
      const call = Reflect.get(collection, method) as (...given: unknown[]) => unknown;
      Reflect.set(collection, method, (...given: unknown[]) => {
        given[at] = { maxTimeMS, ...(given[at] as object | undefined) };
        return Reflect.apply(call, collection, given);
      });
    }
    return collection;
  };
  Reflect.set(db, 'collection', openLimited);
}
