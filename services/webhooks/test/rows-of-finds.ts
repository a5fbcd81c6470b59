import { rowsRead } from '@sigcast/testing';
import { createConnection } from 'mongoose';
import { type Models, models } from '../src/store/models.ts';
import type { Fixture } from './fixture.ts';

/** How many rows each find in some collections reads while `run` uses the service's collections. */
export async function rowsOfFinds(
  { database, stack }: Fixture,
  among: readonly string[],
  run: (collections: Models) => Promise<unknown>,
): Promise<number[]> {
  const options = { dbName: database, monitorCommands: true };
  const connection = await createConnection(stack.mongodbUri, options).asPromise();
  await using scope = new AsyncDisposableStack();
  scope.defer(() => connection.close());
  const finds: Record<string, unknown>[] = [];
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    const asked = command as Record<string, unknown>;
    if (commandName === 'find' && among.includes(String(asked.find))) finds.push(asked);
  });
  await run(models(connection));
  const rows: number[] = [];
  for (const { lsid: _l, $db: _d, $clusterTime: _c, ...explain } of finds) {
    rows.push(rowsRead(await connection.db?.command({ explain, verbosity: 'executionStats' })));
  }
  return rows;
}
