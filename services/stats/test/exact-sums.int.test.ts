import { openAggregates } from '@sigcast/aggregates';
import { expect, it, vi } from 'vitest';
import { getStatistics } from '../src/domain/statistics.ts';
import { factAggregates } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { aggregateStatistics } from '../src/store/mongo-statistics.ts';
import { useMongo } from './fixture.ts';
import { baseMs } from './histories.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const mongo = useMongo();

it('sums of ROI are exact to the last hundredth where doubles no longer are', async () => {
  const largest = Number.MAX_SAFE_INTEGER;
  const rois = [...Array.from({ length: 400 }, (_, n) => largest - (n % 3)), 1, -10_000, -9_999, 7];
  const aggregates = openAggregates(mongo(), factAggregates);
  const facts = mongoFacts(mongo(), aggregates);
  await Promise.all(
    rois.map((roi, n) =>
      facts.record({
        id: `sig_${String(n).padStart(20, '0')}`,
        type: 'new',
        status: n % 2 === 0 ? 'winner' : 'active',
        roi,
        rev: 1,
        ath: { roi, after: 0 },
        createdAt: new Date(baseMs - n * 1_000),
      }),
    ),
  );
  const store = aggregateStatistics(aggregates, { fresh: true });
  const roiSum = rois.reduce((sum, roi) => sum + BigInt(roi), 0n);
  const { totals } = await store.totals(() => ({ until: new Date(baseMs) }));
  expect(totals.get('new')).toEqual({ total: 404, winners: 202, roiSum, roiMax: largest });
  const { avg_roi } = await getStatistics(store, { period: 'all' });
  expect(avg_roi).toBe(Number((2n * roiSum + 404n) / 808n) / 100);
});
