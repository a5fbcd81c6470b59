import { openAggregates } from '@sigcast/aggregates';
import { intervals, periods, signalTypes } from '@sigcast/contracts';
import { modelRuns } from '@sigcast/testing';
import fc from 'fast-check';
import { it, vi } from 'vitest';
import { factOf } from '../src/domain/fact.ts';
import { factAggregates } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { compareSeries, startOf } from './compare-series.ts';
import { eventOf, type Revision } from './events.ts';
import { clearFacts, useMongo } from './fixture.ts';
import { baseMs, Chance, randomHistory } from './histories.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const mongo = useMongo();

it('every point of a series equals a recount, and all together equal the statistics, at any instant and while signals change', async () => {
  const live = async (seed: number) => {
    await clearFacts(mongo());
    const chance = new Chance(seed);
    const aggregates = openAggregates(mongo(), factAggregates);
    const facts = mongoFacts(mongo(), aggregates);
    const recorded: Revision[] = [];
    const queue = randomHistory(chance, 150);
    while (queue.length > 0) {
      const batch = queue.splice(0, 200);
      await Promise.all(batch.map((revision) => facts.record(factOf(eventOf(revision)))));
      recorded.push(...batch);
      for (const period of periods) {
        const type = chance.pick([undefined, ...signalTypes]);
        const interval = chance.pick([
          undefined,
          ...intervals.filter((each) => each !== 'hour' || period !== 'all'),
        ]);
        const include = chance.happens(0.5) ? { include: ['realizable' as const] } : {};
        const created = chance.pick(recorded).createdAtMs;
        const nowMs = chance.pick([baseMs, created, startOf(created, 'hour'), startOf(created, 'day') - 1]);
        await compareSeries(aggregates, recorded, {
          period,
          nowMs,
          ...(type && { type }),
          ...(interval && { interval }),
          ...include,
        });
      }
    }
  };
  await fc.assert(fc.asyncProperty(fc.integer(), live), { ...modelRuns(10), endOnFailure: true });
});
