import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { createConnection } from 'mongoose';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

/** Documents that a command of the driver writes. */
function writesOf(name: string, command: Record<string, unknown>): number {
  if (name === 'findAndModify') return 1;
  const lists = [command.documents, command.updates, command.deletes];
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

it('costs two writes and no message a delivery, and at most three writes an event, when all goes well', async () => {
  const hooks = 8;
  const events = Array.from({ length: 10 }, () => signalEvent());
  for (let n = 0; n < hooks; n++) await f.subscribe(`/cost-${n}`);
  const connection = createConnection(f.stack.mongodbUri, { dbName: f.database, monitorCommands: true });
  await connection.asPromise();
  let [writes, published] = [0, 0];
  const worker = await f.startWorker({
    // More slots than deliveries: what finds none costs a claim.
    maxInFlight: events.length,
    watched: { connection, onPublish: () => (published += 1) },
  });
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    writes += writesOf(commandName, command);
  });
  for (const event of events) await f.publish(event);
  const deliveries = events.length * hooks;
  await eventually(async () =>
    expect(await f.collections.deliveries.countDocuments({ status: 'delivered' })).toBe(deliveries),
  );
  await worker[Symbol.asyncDispose]();
  await connection.close();
  expect(f.receiver.requests).toHaveLength(deliveries);
  expect(published).toBe(0);
  expect(writes).toBeLessThanOrEqual(2 * deliveries + 3 * events.length);
});
