import { connectMongo, type Migration } from '@sigcast/mongo';
import { readConfig, settings, silentLogger } from '@sigcast/runtime';
import { type TestStack, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateCommand } from '../src/migrate-command.ts';
import { runCommand } from '../src/run.ts';

let stack: TestStack;
beforeAll(() => {
  stack = testStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const two: Migration = {
  name: 'two-steps',
  what: 'changes three documents, then two',
  next: async (_, after) => {
    if (after === 'e') return undefined;
    return after === undefined ? { changed: 3, after: 'c' } : { changed: 2, after: 'e' };
  },
};

const indexes = { notes: [{ name: 'by_kind', key: { kind: 1 } }] };

async function run(migrations: readonly Migration[], uri: string, ...argv: string[]) {
  const store = { MONGODB_URI: settings.url('mongodb:'), MONGODB_DATABASE: settings.name('unused') };
  const readStore = (env: Readonly<Record<string, string | undefined>>) => readConfig(store, env);
  const said: string[] = [];
  const status = await runCommand(
    { migrate: migrateCommand({ migrations, indexes, version: '1.2.3', readStore }) },
    {
      argv: ['migrate', ...argv],
      env: { MONGODB_URI: uri, MONGODB_DATABASE: stack.database('migrate') },
    },
    () => ({}),
    { out: (line) => said.push(line), err: (line) => said.push(line) },
  );
  return [status, said.join('\n')] as const;
}

it('`migrate` says what it changed, and `migrate --list` says before and after what is done, and changes nothing', async () => {
  const [listed, before] = await run([two], stack.mongodbUri, '--list');
  expect([listed, before]).toEqual([0, 'two-steps  not done, 0 changed: changes three documents, then two']);
  const [done, text] = await run([two], stack.mongodbUri);
  expect(done).toBe(0);
  expect(text).toMatch(/^two-steps {2}done \S+Z by 1\.2\.3, 5 changed: changes three documents, then two$/);
  expect(await run([two], stack.mongodbUri, '--list')).toEqual([0, text]);
  const [again, json] = await run([two], stack.mongodbUri, '--json');
  expect([again, JSON.parse(json)]).toEqual([
    0,
    {
      database: stack.database('migrate'),
      migrations: [{ ...two, next: undefined, changed: 5, done_at: expect.any(String), version: '1.2.3' }],
    },
  ]);
});

it('`migrate` says when there is no migration, fails when the store does not answer, and refuses unknown options', async () => {
  expect(await run([], stack.mongodbUri)).toEqual([0, 'this version has nothing to migrate']);
  expect((await run([two], 'mongodb://127.0.0.1:1/'))[0]).toBe(1);
  expect((await run([two], stack.mongodbUri, '--all'))[0]).toBe(2);
});

it('`migrate` creates the indexes that its migrations need', async () => {
  const byIndex: Migration = {
    name: 'by-index',
    what: 'looks by an index',
    next: async (connection) => {
      await connection.collection('notes').find({ kind: null }, { hint: 'by_kind' }).toArray();
      return undefined;
    },
  };
  await using resources = new AsyncDisposableStack();
  const store = { uri: stack.mongodbUri, database: stack.database('migrate') };
  const notes = (await connectMongo(store, silentLogger(), resources)).collection('notes');
  await notes.insertOne({ kind: 'a' });
  const [status, text] = await run([byIndex], stack.mongodbUri);
  expect([status, text]).toEqual([0, expect.stringMatching(/^by-index {2}done /)]);
});
