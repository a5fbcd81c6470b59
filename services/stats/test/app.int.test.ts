import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openAggregates } from '@sigcast/aggregates';
import { identityHeader, statisticsSchema, successSchema } from '@sigcast/contracts';
import { identitySigner, identityVerifier } from '@sigcast/http';
import { pingMongo } from '@sigcast/mongo';
import { silentLogger } from '@sigcast/runtime';
import { type TestStack, testKeyPair, testStack } from '@sigcast/testing';
import request from 'supertest';
import { type AppDeps, createApp } from '../src/app.ts';
import { factOf } from '../src/domain/fact.ts';
import { factAggregates } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { aggregateStatistics } from '../src/store/mongo-statistics.ts';
import { eventOf, type Revision } from './events.ts';
import { openMongo } from './fixture.ts';

const nowMs = Date.parse('2026-06-15T12:00:00Z');
const dayMs = 86_400_000;

describe('the HTTP interface', () => {
  const keys = testKeyPair();
  const token = identitySigner('gateway', keys.privateKey)({ subject: 'acct_1', scopes: [], ttlS: 600 });
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let deps: AppDeps;
  let clockMs = nowMs;
  let record: (revision: Revision) => Promise<void>;

  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();
    const connection = await openMongo(stack, resources, stack.database('stats'));
    const aggregates = openAggregates(connection, factAggregates, () => new Date(clockMs));
    const facts = mongoFacts(connection, aggregates);
    record = (revision) => facts.record(factOf(eventOf(revision)));
    const common = { type: 'new', status: 'active', roi: 1_000, rev: 1 } as const;
    const revisions = [
      { ...common, signal: 1, createdAtMs: nowMs },
      { ...common, signal: 2, createdAtMs: nowMs - dayMs, status: 'winner', roi: 5_001 },
      { ...common, signal: 3, createdAtMs: nowMs - 10 * dayMs, type: 'wallet' },
      { ...common, signal: 4, createdAtMs: nowMs + 60_000, type: 'premium' },
    ] as const;
    for (const revision of revisions) await record(revision);
    deps = {
      store: aggregateStatistics(aggregates, { fresh: true }),
      verifyGateway: identityVerifier('gateway', keys.publicKey),
      checks: { mongodb: () => pingMongo(connection) },
      informational: { broker: () => Promise.reject(new Error('no connection')) },
      log: silentLogger(),
    };
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  const get = (path: string) => request(createApp(deps)).get(path).set(identityHeader, token);

  it('answers the figures of all signals, also of one whose producer’s clock is ahead by a minute', async () => {
    const response = await get('/v1/stats');
    expect(response.status).toBe(200);
    expect(successSchema(statisticsSchema).safeParse(response.body).success).toBe(true);
    expect(response.body).toMatchObject({
      success: true,
      data: {
        total_signals: 4,
        winners: 1,
        win_rate: 25,
        avg_roi: 20,
        best_roi: 50.01,
        by_type: {
          new: { total: 2, winners: 1, win_rate: 50 },
          wallet: { total: 1, winners: 0, win_rate: 0 },
          premium: { total: 1, winners: 0, win_rate: 0 },
        },
        as_of: '2026-06-15T12:00:00.000Z',
      },
    });
  });

  it('leaves out what was created exactly a period ago', async () => {
    const response = await get('/v1/stats?period=24h');
    expect(response.body).toMatchObject({ data: { total_signals: 2, avg_roi: 10 } });
  });

  it('shows one type alone when asked for one', async () => {
    const response = await get('/v1/stats?type=wallet&period=30d');
    expect(response.body).toMatchObject({
      data: { total_signals: 1, by_type: { wallet: { total: 1, winners: 0, win_rate: 0 } } },
    });
    const { data } = response.body as { data: { by_type: object } };
    expect(Object.keys(data.by_type)).toEqual(['wallet']);
  });

  it.each([
    ['type=foo', 'type'],
    ['type=', 'type'],
    ['period=1h', 'period'],
    ['preiod=24h', 'preiod'],
    ['type=new&type=3d', 'type'],
  ])('refuses ?%s naming %s', async (query, field) => {
    const response = await get(`/v1/stats?${query}`);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      success: false,
      error: { code: 'INVALID_REQUEST', details: [{ field }] },
    });
  });

  it('is for the gateway alone', async () => {
    const response = await request(createApp(deps)).get('/v1/stats');
    expect(response.status).toBe(401);
    expect(response.body).toMatchObject({ success: false, error: { code: 'UNAUTHORIZED' } });
  });

  it('answers 304 for as long as the figures stay as they are', async () => {
    const { etag } = (await get('/v1/stats')).headers as { etag: string };
    clockMs += 1_000;
    expect((await get('/v1/stats').set('If-None-Match', etag)).status).toBe(304);
    const another = { signal: 5, createdAtMs: nowMs, type: 'new', status: 'active', roi: 1, rev: 1 } as const;
    await record(another);
    expect((await get('/v1/stats').set('If-None-Match', etag)).status).toBe(200);
  });

  it('is ready without the broker, and says that it is away', async () => {
    const response = await request(createApp(deps)).get('/readyz');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ status: 'ready', checks: { mongodb: 'ok', broker: 'failing' } });
  });
});
