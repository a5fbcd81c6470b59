import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identityHeader, statisticsSchema, successSchema } from '@sigcast/contracts';
import { identitySigner, identityVerifier } from '@sigcast/http';
import { pingMongo } from '@sigcast/mongo';
import { openRollups } from '@sigcast/rollups';
import { silentLogger } from '@sigcast/runtime';
import { type TestStack, testKeyPair, testStack } from '@sigcast/testing';
import request from 'supertest';
import { type AppDeps, createApp } from '../src/app.ts';
import { factOf } from '../src/domain/fact.ts';
import { factRollups } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { rollupStatistics } from '../src/store/mongo-statistics.ts';
import { eventOf } from './events.ts';
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

  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();
    const connection = await openMongo(stack, resources, stack.database('stats'));
    const facts = mongoFacts(connection, openRollups(connection, factRollups));
    const common = { type: 'new', status: 'active', roi: 1_000, rev: 1 } as const;
    const revisions = [
      { ...common, signal: 1, createdAtMs: nowMs },
      { ...common, signal: 2, createdAtMs: nowMs - dayMs, status: 'winner', roi: 5_001 },
      { ...common, signal: 3, createdAtMs: nowMs - 10 * dayMs, type: 'wallet' },
      { ...common, signal: 4, createdAtMs: nowMs + 1_000, type: 'premium' },
    ] as const;
    for (const revision of revisions) await facts.record(factOf(eventOf(revision)));
    deps = {
      store: rollupStatistics(openRollups(connection, factRollups)),
      verifyGateway: identityVerifier('gateway', keys.publicKey),
      checks: { mongodb: () => pingMongo(connection) },
      informational: { broker: () => Promise.reject(new Error('no connection')) },
      log: silentLogger(),
      now: () => new Date(clockMs),
    };
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  const get = (path: string) => request(createApp(deps)).get(path).set(identityHeader, token);

  it('answers the figures since ever, up to this very instant', async () => {
    const response = await get('/v1/stats');
    expect(response.status).toBe(200);
    expect(successSchema(statisticsSchema).safeParse(response.body).success).toBe(true);
    expect(response.body).toMatchObject({
      success: true,
      data: {
        total_signals: 3,
        winners: 1,
        win_rate: 33.33,
        avg_roi: 23.34,
        best_roi: 50.01,
        by_type: {
          new: { total: 2, winners: 1, win_rate: 50 },
          wallet: { total: 1, winners: 0, win_rate: 0 },
          premium: { total: 0, winners: 0, win_rate: 0 },
        },
        as_of: '2026-06-15T12:00:00.000Z',
      },
    });
  });

  it('leaves out what was created exactly a period ago', async () => {
    const response = await get('/v1/stats?period=24h');
    expect(response.body).toMatchObject({ data: { total_signals: 1, avg_roi: 10 } });
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
    clockMs = nowMs + 999;
    expect((await get('/v1/stats').set('If-None-Match', etag)).status).toBe(304);
    clockMs = nowMs + 1_000;
    expect((await get('/v1/stats').set('If-None-Match', etag)).status).toBe(200);
    clockMs = nowMs;
  });

  it('is ready without the broker, and says that it is away', async () => {
    const response = await request(createApp(deps)).get('/readyz');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ status: 'ready', checks: { mongodb: 'ok', broker: 'failing' } });
  });
});
