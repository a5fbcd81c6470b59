import { type Operation, operationsOf, SigcastError } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import type { Request } from 'express';
import supertest from 'supertest';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createApp, finishApp, serveOperations } from '../src/index.ts';

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

it('an operation is refused its caller before its query, answers with its envelope and tag, and knows its methods', async () => {
  const known = async (req: Request): Promise<string> => {
    const name = req.get('x-name');
    if (name === undefined) throw new SigcastError('UNAUTHORIZED', 'Who asks?');
    return name;
  };
  const served = app();
  const operation = {
    ...(statistics[0] as Operation),
    query: z.strictObject({ days: z.coerce.number() }),
    answer: z.object({ data: z.unknown() }),
  };
  const getStatistics = async ({ query, caller }: { query: object; caller: unknown }) => ({
    data: { ...query, caller },
  });
  serveOperations<Operation, string>(served, [operation], { getStatistics } as never, known);
  finishApp(served, silentLogger());

  await supertest(served).get('/v1/stats?other=1').expect(401);
  const wrong = await supertest(served).get('/v1/stats?other=1').set('X-Name', 'me').expect(400);
  expect(wrong.body).toMatchObject({ error: { details: [{ field: 'days' }, { field: 'other' }] } });
  const right = await supertest(served).get('/v1/stats?days=2').set('X-Name', 'me').expect(200);
  expect(right.body).toEqual({ success: true, data: { days: 2, caller: 'me' } });
  expect(right.headers.etag).toMatch(/^W\//);
  await supertest(served)
    .get('/v1/stats?days=2')
    .set('X-Name', 'me')
    .set('If-None-Match', String(right.headers.etag))
    .expect(304);
  await supertest(served).head('/v1/stats?days=2').set('X-Name', 'me').expect(200);
  await supertest(served).post('/v1/stats').expect(405).expect('Allow', 'GET, HEAD');
});
