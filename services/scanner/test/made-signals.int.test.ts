import { testStack } from '@sigcast/testing';
import mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { madeCollection, madeIndexes } from '../src/store/made-document.ts';
import { mongoMadeSignals } from '../src/store/mongo-made-signals.ts';

it('a signal that could not be sent within 15 minutes of its figures is dropped, and its token cools down', async () => {
  await using stack = testStack();
  await using resources = new AsyncDisposableStack();
  const connection = await mongoose
    .createConnection(stack.mongodbUri, { dbName: stack.database('scanner') })
    .asPromise();
  resources.defer(() => connection.close());
  for (const { name, key } of madeIndexes)
    await connection.collection(madeCollection).createIndex(key, { name });
  let nowMs = Date.parse('2026-01-02T00:00:00Z');
  const made = mongoMadeSignals(connection, { coolDownMs: 86_400_000, now: () => new Date(nowMs) });
  const token = { chain: 'base', contract: 'a', links: {}, lists: [], listedMs: 0 };
  const observed = { rule: 'v1', observed_at: new Date(nowMs).toISOString() };
  await made.add(token, { type: 'new', origin: observed } as never);
  expect(await made.claim(1_000)).toMatchObject({ request: { type: 'new' } });
  nowMs += 900_000;
  expect(await made.claim(1_000)).toMatchObject({ request: { type: 'new' } });
  nowMs += 1_001;
  expect(await made.claim(1_000)).toBeUndefined();
  expect(await made.countUnsent()).toBe(0);
  expect(await made.coolingDown(token)).toEqual(new Set(['new']));
});
