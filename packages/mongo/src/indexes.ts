import type { Connection, mongo } from 'mongoose';

/** An index as data; the name is required because queries name it in `hint`. */
export type IndexSpec = mongo.IndexDescription & { readonly name: string };

/** Creates the indexes that are missing. Existing ones of the same name and definition are left alone. */
export async function ensureIndexes(
  connection: Connection,
  collection: string,
  indexes: readonly IndexSpec[],
): Promise<void> {
  if (indexes.length === 0) return;
  await connection.collection(collection).createIndexes([...indexes]);
}
