import { type Document, deserialize, serialize } from 'bson';
import { find, flag, integer, text } from './bson-scan.ts';
import { batchDocuments, type Command, type Handler } from './command.ts';
import { document } from './data-commands.ts';
import { type DuplicateKeys, writtenDocument } from './duplicate-keys.ts';
import type { Engine } from './engine.ts';
import { codeOf, isDuplicateKey, sqlStateOf, toCommandError, unpackSqlState } from './errors.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { refuseTransactions } from './server-commands.ts';

type WriteName = 'insert' | 'update' | 'delete';

/** insert, update, delete and findAndModify. Each command is one transaction of PostgreSQL. */
export function writeCommands(engine: Engine, duplicates: DuplicateKeys): ReadonlyMap<string, Handler> {
  const upserts = new KeyedMutex();

  const batch = (name: WriteName, field: string): Handler => {
    const sql = `SELECT p_result::bytea, p_success FROM documentdb_api.${name}($1, $2, $3)`;
    const write = async (command: Command): Promise<Uint8Array> => {
      const parameters = [command.database, command.body, command.sequence?.documents ?? null];
      for (let attempt = 1; ; attempt++) {
        const row = await engine.call(sql, parameters);
        if (row[1] === true) {
          if (name === 'delete' && (await missedDelete(command, document(row)))) continue;
          return document(row);
        }
        const reply = deserialize(document(row), { promoteValues: false });
        if (attempt === 1 && lostUpsertRace(command, field, reply)) continue;
        return serialize(await withCodes(reply, command, field));
      }
    };
    return async (command) => {
      refuseTransactions(command.body);
      return upserts.take(name === 'update' ? upsertedIds(command) : [], () => write(command));
    };
  };

  /**
   * Whether a deletion of one document deleted nothing although a document matches. DocumentDB skips a document that
   * another client is changing, where MongoDB waits for that client. Such a deletion runs again.
   */
  const missedDelete = async (command: Command, reply: Buffer): Promise<boolean> => {
    const [statement, ...others] = batchDocuments(command, 'deletes');
    if (!statement || others.length > 0 || integer(statement, 'limit') !== 1n) return false;
    if (integer(reply, 'n') !== 0n) return false;
    const { q: query } = deserialize(statement, { promoteValues: false }) as { readonly q?: unknown };
    const count = Buffer.from(serialize({ count: text(command.body, command.name), query, limit: 1 }));
    const sql = 'SELECT document::bytea FROM documentdb_api.count_query($1, $2)';
    return integer(document(await engine.call(sql, [command.database, count])), 'n') !== 0n;
  };

  /** The reply with MongoDB's codes and messages in its write errors. */
  const withCodes = async (reply: Document, command: Command, field: string): Promise<Document> => {
    for (const error of writeErrors(reply)) {
      const sqlState = unpackSqlState(Number(error.code));
      [error.code] = codeOf(sqlState);
      if (!isDuplicateKey(sqlState)) continue;
      const collection = { database: command.database, name: text(command.body, command.name) ?? '' };
      const written = writtenDocument(command, field, Number(error.index));
      Object.assign(error, await duplicates.describe(collection, String(error.errmsg), written));
    }
    return reply;
  };

  const findAndModify: Handler = async (command) => {
    const { database, body } = command;
    refuseTransactions(body);
    const sql = 'SELECT p_result::bytea FROM documentdb_api.find_and_modify($1, $2)';
    for (let attempt = 1; ; attempt++) {
      try {
        return document(await engine.call(sql, [database, body]));
      } catch (error) {
        if (!isDuplicateKey(sqlStateOf(error) ?? '')) throw error;
        if (attempt === 1 && flag(body, 'upsert')) continue;
        const collection = { database, name: text(command.body, command.name) ?? '' };
        const { message } = toCommandError(error);
        throw duplicates.toError(await duplicates.describe(collection, message, undefined));
      }
    }
  };

  return new Map<string, Handler>([
    ['insert', batch('insert', 'documents')],
    ['update', batch('update', 'updates')],
    ['delete', batch('delete', 'deletes')],
    ['findandmodify', findAndModify],
  ]);
}

/**
 * Whether an upsert found nothing, and its insert then failed because another client had inserted the document. As in
 * MongoDB, such an upsert runs again and finds the document. Only an upsert that is alone in its command may run again:
 * of a batch, the rest was applied.
 */
function lostUpsertRace(command: Command, field: string, reply: Document): boolean {
  const [error] = writeErrors(reply);
  if (field !== 'updates' || !error || !isDuplicateKey(unpackSqlState(Number(error.code)))) return false;
  const statements = batchDocuments(command, field);
  return statements.length === 1 && flag(statements[0] as Buffer, 'upsert');
}

/**
 * The ids of documents that updates of a batch may insert; operations with the same id run one after the other. When
 * another client has just inserted the document, DocumentDB rightly makes an update of an upsert by `_id`, but it reports
 * an insertion to both clients.
 */
function upsertedIds(command: Command): string[] {
  const collection = `${command.database}.${text(command.body, command.name) ?? ''}`;
  const ids = new Set<string>();
  for (const statement of batchDocuments(command, 'updates')) {
    if (!flag(statement, 'upsert')) continue;
    const filter = find(statement, 'q');
    if (!filter) continue;
    const query = statement.subarray(filter.start, filter.end);
    const id = find(query, '_id');
    if (id) ids.add(`${collection}\0${query.toString('latin1', id.start, id.end)}`);
  }
  return [...ids];
}

function writeErrors(reply: Document): Document[] {
  return (reply.writeErrors ?? []) as Document[];
}
