import { type Document, deserialize } from 'bson';
import { batchDocuments, type Command } from './command.ts';
import type { Engine } from './engine.ts';
import { CommandError, duplicateKey } from './errors.ts';

type Collection = { readonly database: string; readonly name: string };

/** The fields of MongoDB's error for a duplicate key, as far as DocumentDB tells them. */
export type DuplicateKey = {
  readonly errmsg: string;
  readonly keyPattern?: Document;
  readonly keyValue?: Document;
};

const indexSql = `SELECT (i.index_spec).index_name, (i.index_spec).index_key::bytea
  FROM documentdb_api_catalog.collection_indexes i
  JOIN documentdb_api_catalog.collections c USING (collection_id)
  WHERE c.database_name = $1 AND c.collection_name = $2
    AND ((i.index_spec).index_name = $3 OR i.index_id::text = $4)`;

/** Translates DocumentDB's errors for duplicate keys, which name an index or its constraint, into MongoDB's. */
export class DuplicateKeys {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** @param written the document that was to be inserted; undefined when it is not known. */
  async describe(
    collection: Collection,
    message: string,
    written: Document | undefined,
  ): Promise<DuplicateKey> {
    const named = /Index '([^']*)'/.exec(message)?.[1] ?? (message.includes('collection_pk_') ? '_id_' : '');
    const numbered = /documents_rum_index_(\d+)/.exec(message)?.[1] ?? '';
    const [name, key] = await this.#engine.call(indexSql, [
      collection.database,
      collection.name,
      named,
      numbered,
    ]);
    const namespace = `${collection.database}.${collection.name}`;
    const errmsg = `E11000 duplicate key error collection: ${namespace} index: ${name ?? (named || 'unknown')}`;
    if (!(key instanceof Buffer)) return { errmsg };
    const keyPattern = deserialize(key);
    if (written === undefined) return { errmsg: `${errmsg} dup key`, keyPattern };
    const keyValue = Object.fromEntries(
      Object.keys(keyPattern).map((path) => [path, valueAt(written, path)]),
    );
    return { errmsg: `${errmsg} dup key: ${JSON.stringify(keyValue)}`, keyPattern, keyValue };
  }

  toError({ errmsg, ...details }: DuplicateKey): CommandError {
    return new CommandError(...duplicateKey, errmsg, details);
  }
}

/** The document that an insert was about to write; undefined for an update, whose result only the database knows. */
export function writtenDocument(command: Command, field: string, index: number): Document | undefined {
  const written = field === 'documents' ? batchDocuments(command, field)[index] : undefined;
  return written && deserialize(written);
}

function valueAt(document: Document, path: string): unknown {
  let value: unknown = document;
  for (const name of path.split('.')) value = (value as Document | null | undefined)?.[name];
  return value ?? null;
}
