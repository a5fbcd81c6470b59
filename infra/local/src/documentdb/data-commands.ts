import { type Document, deserialize, Long, serialize } from 'bson';
import { find as findElement, flag, integer, text, withInteger } from './bson-scan.ts';
import type { Command, Handler } from './command.ts';
import type { Cursors } from './cursors.ts';
import type { Engine, Row } from './engine.ts';
import { CommandError } from './errors.ts';
import { refuseTransactions } from './server-commands.ts';

/** Commands that read, create and drop. Their BSON is forwarded to DocumentDB unchanged. */
export function dataCommands(engine: Engine, cursors: Cursors): ReadonlyMap<string, Handler> {
  /** Handles a command by an SQL function of the database and the command's BSON, which returns the reply. */
  const simple =
    (sql: string): Handler =>
    async ({ database, body }) => {
      refuseTransactions(body);
      return document(await engine.call(sql, [database, body]));
    };

  const firstPage = (name: string, ask = (body: Buffer) => body): Handler => {
    const sql = `SELECT cursorpage::bytea, continuation::bytea, persistconnection, cursorid::text
      FROM documentdb_api.${name}_cursor_first_page($1, $2)`;
    return async ({ database, body }) => {
      refuseTransactions(body);
      const row = await engine.call(sql, [database, ask(body)]);
      const [, continuation, , id] = row;
      if (continuation instanceof Buffer) refuseUnsorted(name, body);
      if (continuation instanceof Buffer) cursors.keep(BigInt(String(id)), database, continuation);
      return document(row);
    };
  };

  const getMore: Handler = async ({ body }) => {
    const id = integer(body, 'getMore') ?? 0n;
    const { database, continuation } = cursors.take(id);
    const sql =
      'SELECT cursorpage::bytea, continuation::bytea FROM documentdb_api.cursor_get_more($1, $2, $3)';
    const row = await engine.call(sql, [database, body, continuation]);
    if (row[1] instanceof Buffer) cursors.keep(id, database, row[1]);
    return document(row);
  };

  const killCursors: Handler = async ({ body }) => {
    const ids = (deserialize(body, { useBigInt64: true, promoteValues: true }).cursors ?? []) as (
      | bigint
      | number
    )[];
    const killed: Long[] = [];
    const notFound: Long[] = [];
    for (const id of ids) (cursors.drop(BigInt(id)) ? killed : notFound).push(Long.fromString(String(id)));
    if (killed.length > 0) {
      const sql = 'SELECT documentdb_api_internal.delete_cursors($1::text[]::bigint[])';
      await engine.call(sql, [killed.map(String)]);
    }
    return serialize({
      cursorsKilled: killed,
      cursorsNotFound: notFound,
      cursorsAlive: [],
      cursorsUnknown: [],
      ok: 1,
    });
  };

  const drop: Handler = async ({ name, database, body }) => {
    const collection = collectionOf(body, name);
    const [existed] = await engine.call('SELECT documentdb_api.drop_collection($1, $2)', [
      database,
      collection,
    ]);
    return serialize({
      ...(existed === true ? { nIndexesWas: 1, ns: `${database}.${collection}` } : {}),
      ok: 1,
    });
  };

  const dropDatabase: Handler = async ({ database }) => {
    await engine.call('SELECT documentdb_api.drop_database($1)', [database]);
    return serialize({ dropped: database, ok: 1 });
  };

  const listDatabases: Handler = async ({ body }) =>
    document(await engine.call('SELECT documentdb_api.list_databases($1)::bytea', [body]));

  return new Map<string, Handler>([
    ['find', firstPage('find', inOnePage)],
    ['aggregate', firstPage('aggregate')],
    ['listcollections', firstPage('list_collections')],
    ['listindexes', firstPage('list_indexes')],
    ['getmore', getMore],
    ['killcursors', killCursors],
    ['count', simple('SELECT document::bytea FROM documentdb_api.count_query($1, $2)')],
    ['distinct', simple('SELECT document::bytea FROM documentdb_api.distinct_query($1, $2)')],
    ['create', simple('SELECT documentdb_api.create_collection_view($1, $2)::bytea')],
    ['drop', drop],
    ['dropdatabase', dropDatabase],
    ['listdatabases', listDatabases],
    ['explain', explain(engine)],
  ]);
}

/** More documents than a page of 16 MB can hold. */
const manyDocuments = 1_000_000;

/**
 * A `find` that leaves the size of its pages to the server gets one page of up to 16 MB. DocumentDB finds the next page by
 * the place of a row, and an update changes the place: a document that is updated between two pages may come twice or
 * never. MongoDB finds the next page by the index's keys, so each document with an unchanged key comes once.
 */
function inOnePage(body: Buffer): Buffer {
  return findElement(body, 'batchSize') ? body : withInteger(body, 'batchSize', manyDocuments);
}

/**
 * Refuses a service's `find` in several pages without a sort, whose next page DocumentDB finds by the place of a row. With
 * a sort it reads all pages as of the first.
 */
function refuseUnsorted(name: string, body: Buffer): void {
  if (name !== 'find' || !flag(body, 'apiStrict') || findElement(body, 'sort')) return;
  throw new CommandError(
    2,
    'BadValue',
    'a find in several pages needs a sort: updates would change its result',
  );
}

/** The reply in a row's first column. */
export function document(row: Row): Buffer {
  const [value] = row;
  if (!(value instanceof Buffer))
    throw new CommandError(1, 'InternalError', 'the database returned no reply');
  return value;
}

/** The collection a command names as its first value. */
function collectionOf(body: Buffer, name: string): string {
  const collection = text(body, name);
  if (!collection) throw new CommandError(73, 'InvalidNamespace', `${name} needs the name of a collection`);
  return collection;
}

/** The endings of the SQL functions that plan each command. */
const plannedBy: Readonly<Record<string, string>> = {
  find: 'find',
  aggregate: 'pipeline',
  count: 'count',
  distinct: 'distinct',
};

/** Answers with PostgreSQL's plan, for people: it does not have the shape of MongoDB's. */
function explain(engine: Engine): Handler {
  return async ({ database, body }: Command) => {
    const explained = (deserialize(body).explain ?? {}) as Document;
    const kind = plannedBy[Object.keys(explained)[0] ?? ''];
    if (kind === undefined)
      throw new CommandError(115, 'CommandNotSupported', 'explain: find, aggregate, count or distinct');
    const sql = `EXPLAIN (FORMAT JSON, ANALYZE) SELECT document
      FROM documentdb_api_catalog.bson_aggregation_${kind}($1, $2)`;
    const [plan] = await engine.call(sql, [database, Buffer.from(serialize(explained))]);
    return serialize({ queryPlanner: { namespace: database, winningPlan: plan }, ok: 1 });
  };
}
