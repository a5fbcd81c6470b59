import { operationsOf } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { expect, it } from 'vitest';
import { createApp, serveOperations } from '../src/index.ts';

const statistics = operationsOf('stats');
const app = () => createApp(silentLogger());
const nothing = () => Promise.resolve(undefined);

it('a service does not compile without a handler for each of its operations, or with a wrong parameter or answer', () => {
  serveOperations(app(), statistics, { getStatistics: nothing, getStatisticsSeries: nothing });
  // @ts-expect-error: getStatisticsSeries is missing
  serveOperations(app(), statistics, { getStatistics: nothing });
  serveOperations(app(), statistics, {
    getStatisticsSeries: nothing,
    // @ts-expect-error: the query has no `periods`
    getStatistics: ({ query: { periods: _periods } }) => nothing(),
  });
  serveOperations(app(), statistics, {
    getStatisticsSeries: nothing,
    // @ts-expect-error: the figures are missing
    getStatistics: () => ({ data: { as_of: '2026-01-01T00:00:00Z' } }),
  });
  expect(statistics.map(({ id }) => id)).toEqual(['getStatistics', 'getStatisticsSeries']);
});
