import { connectMongo, type IndexSpec } from '@sigcast/mongo';
import { createLogger, readConfig, settings } from '@sigcast/runtime';
import { type TestStack, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexesCommand } from '../src/indexes-command.ts';
import { runCommand } from '../src/run.ts';

let stack: TestStack;
const resources = new AsyncDisposableStack();
beforeAll(() => {
  stack = testStack();
});
afterAll(async () => {
  await resources.disposeAsync();
  await stack[Symbol.asyncDispose]();
});

const byName: IndexSpec = { name: 'by_name', key: { name: 1 } };
const plan = { people: [byName, { name: 'by_mail', key: { mail: 1 }, unique: true }], places: [byName] };

async function run(indexes: Record<string, readonly IndexSpec[]>, env: Record<string, string>) {
  const store = { MONGODB_URI: settings.url('mongodb:'), MONGODB_DATABASE: settings.name('unused') };
  const out: string[] = [];
  const status = await runCommand(
    { indexes: indexesCommand(indexes, (all) => readConfig(store, all)) },
    { argv: ['indexes', '--json'], env },
    () => ({}),
    { out: (line) => out.push(line), err: (line) => out.push(line) },
  );
  return { status, said: JSON.parse(out.join('\n')) as object };
}

it('`indexes` creates missing indexes, and may be repeated', async () => {
  const database = stack.database('indexes');
  const env = { MONGODB_URI: stack.mongodbUri, MONGODB_DATABASE: database };
  const built = { people: ['by_name', 'by_mail'], places: ['by_name'] };
  expect(await run(plan, env)).toEqual({ status: 0, said: { database, indexes: built } });
  expect(await run(plan, env)).toEqual({ status: 0, said: { database, indexes: built } });
  const log = createLogger({ service: 'test', level: 'silent' });
  const connection = await connectMongo({ uri: stack.mongodbUri, database }, log, resources);
  const names = (await connection.collection('people').indexes()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['by_name', 'by_mail']));
});

it('`indexes` fails when the store has another index of the same name', async () => {
  const env = { MONGODB_URI: stack.mongodbUri, MONGODB_DATABASE: stack.database('other') };
  await run({ people: [{ name: 'by_name', key: { surname: 1 } }] }, env);
  const { status, said } = await run(plan, env);
  expect(status).toBe(1);
  expect(said).toMatchObject({ error: { code: 'failed', message: expect.stringContaining('by_name') } });
});

it('`indexes` fails when the store does not answer', async () => {
  const env = { MONGODB_URI: 'mongodb://127.0.0.1:1/', MONGODB_DATABASE: 'none' };
  expect(await run(plan, env)).toMatchObject({ status: 1, said: { error: { code: 'failed' } } });
});
