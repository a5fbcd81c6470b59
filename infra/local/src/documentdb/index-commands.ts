import { deserialize, serialize } from 'bson';
import type { Handler } from './command.ts';
import { document } from './data-commands.ts';
import type { Engine } from './engine.ts';
import { CommandError, codeOf, unpackSqlState } from './errors.ts';

/** createIndexes and dropIndexes. */
export function indexCommands(engine: Engine): ReadonlyMap<string, Handler> {
  const create: Handler = async ({ database, body }) => {
    const sql = 'SELECT documentdb_api_internal.create_indexes_non_concurrently($1, $2, true)::bytea';
    return checked(document(await engine.call(sql, [database, body])));
  };
  const drop: Handler = async ({ database, body }) => {
    const [reply] = await engine.call('CALL documentdb_api.drop_indexes($1, $2)', [database, body]);
    // The result of a procedure can't be cast to bytes. It is BSON as text: `BSONHEX` and hexadecimal digits.
    return checked(Buffer.from(String(reply).replace(/^BSONHEX/, ''), 'hex'));
  };
  return new Map<string, Handler>([
    ['createindexes', create],
    ['dropindexes', drop],
    ['deleteindexes', drop],
  ]);
}

function checked(reply: Buffer): Uint8Array {
  const content = deserialize(reply);
  if (content.ok === true || content.ok === 1) return serialize({ ...content, ok: 1 });
  const message = String(content.errmsg ?? 'the indexes were not changed');
  throw new CommandError(...codeOf(unpackSqlState(Number(content.code))), message);
}
