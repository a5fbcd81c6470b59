import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openAggregates } from '@sigcast/aggregates';
import { eventually, type TestStack, testStack } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { factOf } from '../src/domain/fact.ts';
import { factAggregates, factsCollection } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { eventOf } from './events.ts';
import { openMongo } from './fixture.ts';

let stack: TestStack;
let resources: AsyncDisposableStack;
let connection: Connection;
beforeAll(async () => {
  stack = testStack();
  resources = new AsyncDisposableStack();
  connection = await openMongo(stack, resources, stack.database('stats'));
});
afterAll(async () => {
  await resources.disposeAsync();
  await stack[Symbol.asyncDispose]();
});

it('facts that come in masses, as after an outage, wait until earlier ones are counted, single ones never', async () => {
  const aggregates = openAggregates(connection, factAggregates);
  let hasRoom = false;
  const facts = mongoFacts(connection, { ...aggregates, hasRoom: async () => hasRoom }, 600_000);
  const record = (signal: number) => {
    const state = { type: 'new', status: 'active', roi: 1, createdAtMs: Date.now(), rev: 1 } as const;
    return facts.record(factOf(eventOf({ signal, ...state })));
  };
  await record(0);
  let recorded = 0;
  const masses = Array.from({ length: 1_200 }, async (_, n) => {
    await record(n + 1);
    recorded++;
  });
  await eventually(async () => {
    expect(await connection.collection(factsCollection).countDocuments()).toBeGreaterThan(500);
  });
  // The first batch, of one, found nothing to wait for; the next one is stored, and not acknowledged.
  expect(recorded).toBeLessThan(500);
  hasRoom = true;
  await Promise.all(masses);
  expect(recorded).toBe(1_200);
});
