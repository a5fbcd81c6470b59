import { openAggregates } from '@sigcast/aggregates';
import { eventually } from '@sigcast/testing';
import { expect, it } from 'vitest';
import { factOf } from '../src/domain/fact.ts';
import { factAggregates, factsCollection } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { eventOf } from './events.ts';
import { useMongo } from './fixture.ts';

const mongo = useMongo();

it('full batches of facts, as after an outage, wait until earlier facts are counted; a single fact never waits', async () => {
  const aggregates = openAggregates(mongo(), factAggregates);
  let hasRoom = false;
  const facts = mongoFacts(
    mongo(),
    { ...aggregates, hasRoom: async () => hasRoom },
    { longestWaitMs: 600_000 },
  );
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
    expect(await mongo().collection(factsCollection).countDocuments()).toBeGreaterThanOrEqual(200);
  });
  // The first batch has one fact and does not wait. The next batch is stored, and waits.
  expect(recorded).toBeLessThan(200);
  hasRoom = true;
  await Promise.all(masses);
  expect(recorded).toBe(1_200);
});
