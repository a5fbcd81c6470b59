import { openAggregates } from '@sigcast/aggregates';
import {
  identityHeader,
  type Statistics,
  type StatisticsSeries,
  signalTypes,
  statisticsSchema,
  statisticsSeriesSchema,
  successSchema,
} from '@sigcast/contracts';
import { identitySigner, identityVerifier } from '@sigcast/http';
import { pingMongo } from '@sigcast/mongo';
import { silentLogger } from '@sigcast/runtime';
import { askApp, testKeyPair } from '@sigcast/testing';
import type { Express } from 'express';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../src/app.ts';
import { factOf } from '../src/domain/fact.ts';
import type { FactStore } from '../src/domain/ports.ts';
import { factAggregates } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { aggregateStatistics } from '../src/store/mongo-statistics.ts';
import { eventOf, type Revision } from './events.ts';
import { useMongo } from './fixture.ts';

const nowMs = Date.parse('2026-06-15T12:00:00Z');
const dayMs = 86_400_000;
const mustBeOne = 'must be one of distribution, realizable, or several separated by commas';

/** The service's application over four signals of its own. @returns what a test asks it by, and how a test changes its figures. */
function useApp() {
  const mongo = useMongo();
  const keys = testKeyPair();
  const token = identitySigner(
    'gateway',
    keys.privateKey,
    'stats',
  )({ subject: 'acct_1', scopes: [], ttlS: 600 });
  let clockMs = nowMs;
  let app: Express;
  let facts: FactStore;
  const record = (revision: Revision) => facts.record(factOf(eventOf(revision)));

  beforeAll(async () => {
    const aggregates = openAggregates(mongo(), factAggregates, () => new Date(clockMs));
    facts = mongoFacts(mongo(), aggregates);
    app = createApp({
      store: aggregateStatistics(aggregates, { fresh: true }),
      verifyGateway: identityVerifier('gateway', keys.publicKey, 'stats'),
      checks: { mongodb: () => pingMongo(mongo()) },
      reportedChecks: { broker: () => Promise.reject(new Error('no connection')) },
      log: silentLogger(),
    });
    const common = { type: 'new', status: 'active', roi: 1_000, rev: 1 } as const;
    const revisions: readonly Revision[] = [
      { ...common, signal: 1, createdAtMs: nowMs },
      {
        ...common,
        signal: 2,
        createdAtMs: nowMs - dayMs,
        status: 'winner',
        roi: 5_001,
        athRoi: 20_040,
        timeToAth: 250,
        realizable: { roi: 9_505, exit: 'target' },
      },
      {
        ...common,
        signal: 3,
        createdAtMs: nowMs - 10 * dayMs,
        type: 'wallet',
        realizable: { roi: -5_112, exit: 'stop' },
      },
      { ...common, signal: 4, createdAtMs: nowMs + 60_000, type: 'premium' },
    ];
    for (const revision of revisions) await record(revision);
  });
  return {
    get: (path: string) => askApp(app).get(path).set(identityHeader, token),
    getWithoutIdentity: (path: string) => askApp(app).get(path),
    record,
    advanceClock: (ms: number) => {
      clockMs += ms;
    },
  };
}

describe('the HTTP interface', () => {
  const { get, getWithoutIdentity } = useApp();

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

  it('adds the distribution of the same signals where it is asked for, and to nothing else', async () => {
    const plain = (await get('/v1/stats')).body as object;
    const response = await get('/v1/stats?include=distribution');
    expect(response.status).toBe(200);
    expect(successSchema(statisticsSchema).safeParse(response.body).success).toBe(true);
    const { distribution, ...figures } = (response.body as { data: Statistics }).data;
    expect({ ...plain, data: figures }).toEqual(plain);

    const same = (value: number) => ({ p10: value, p25: value, median: value, p75: value, p90: value });
    const none = { active: 0, winner: 0, dead: 0, rugged: 0 };
    const { by_type = {}, ...all } = distribution ?? {};
    expect(all).toEqual({
      by_status: { ...none, active: 3, winner: 1 },
      // 50.01 and 200.4, each rounded to within 0.5 %.
      roi: { ...same(10), p90: 50 },
      ath_roi: { ...same(0), p90: 200 },
      avg_time_to_ath_hours: 0.63,
      ath_signals: 4,
    });
    expect(Object.keys(by_type)).toEqual(signalTypes);
    expect(by_type.new).toMatchObject({ by_status: { active: 1, winner: 1 }, avg_time_to_ath_hours: 1.25 });
    expect(by_type['3d']).toEqual({
      by_status: none,
      roi: same(0),
      ath_roi: same(0),
      avg_time_to_ath_hours: 0,
      ath_signals: 0,
    });

    const { data: ofDay } = (await get('/v1/stats?include=distribution&period=24h&type=premium')).body as {
      data: Statistics;
    };
    expect(Object.keys(ofDay.distribution?.by_type ?? {})).toEqual(['premium']);
    expect(ofDay.distribution).toMatchObject({ by_status: { active: 1, winner: 0 }, roi: same(10) });
  });

  it('adds what an order by the exit rule earned where it is asked for, also besides the distribution', async () => {
    const plain = (await get('/v1/stats')).body as object;
    const response = await get('/v1/stats?include=realizable');
    expect(response.status).toBe(200);
    expect(successSchema(statisticsSchema).safeParse(response.body).success).toBe(true);
    const { realizable, ...figures } = (response.body as { data: Statistics }).data;
    expect({ ...plain, data: figures }).toEqual(plain);

    const same = (value: number) => ({ p10: value, p25: value, median: value, p75: value, p90: value });
    const none = { open: 0, target: 0, stop: 0, end: 0 };
    const { by_type = {}, ...all } = realizable ?? {};
    expect(all).toEqual({
      rule: 'v1',
      signals: 2,
      avg_roi: 21.97,
      profitable: 50,
      by_exit: { ...none, target: 1, stop: 1 },
      // 95.05 and −51.12, each rounded to within 0.5 %.
      roi: { ...same(-51), p75: 95, p90: 95 },
    });
    expect(Object.keys(by_type)).toEqual(signalTypes);
    expect(by_type.new).toEqual({
      signals: 1,
      avg_roi: 95.05,
      profitable: 100,
      roi: same(95),
      by_exit: { ...none, target: 1 },
    });
    expect(by_type['3d']).toEqual({ signals: 0, avg_roi: 0, profitable: 0, roi: same(0), by_exit: none });

    const both = (await get('/v1/stats?include=realizable,distribution&type=wallet')).body as {
      data: Statistics;
    };
    expect(both.data.realizable).toMatchObject({ signals: 1, avg_roi: -51.12, profitable: 0 });
    expect(both.data.distribution).toMatchObject({ by_status: { active: 1 } });
    expect(Object.keys(both.data.realizable?.by_type ?? {})).toEqual(['wallet']);
    // Nothing of the period, since the only position of a day ago was opened exactly a period ago.
    expect((await get('/v1/stats?include=realizable&period=24h')).body).toMatchObject({
      data: { total_signals: 2, realizable: { signals: 0, avg_roi: 0 } },
    });
  });

  it('adds to each point of a series what the same order earned on average, where it is asked for', async () => {
    const response = await get('/v1/stats/series?include=realizable');
    expect(response.status).toBe(200);
    expect(successSchema(statisticsSeriesSchema).safeParse(response.body).success).toBe(true);
    const { data } = response.body as { data: StatisticsSeries };
    const without = ((await get('/v1/stats/series')).body as { data: StatisticsSeries }).data;
    expect(data.points.map(({ realizable: _realizable, ...figures }) => figures)).toEqual(without.points);
    const none = { signals: 0, avg_roi: 0 };
    expect(data.points.map(({ realizable }) => realizable)).toEqual([
      { signals: 1, avg_roi: -51.12 },
      ...Array.from({ length: 8 }, () => none),
      { signals: 1, avg_roi: 95.05 },
      none,
    ]);
    const ofType = (await get('/v1/stats/series?include=realizable&type=wallet')).body as {
      data: StatisticsSeries;
    };
    expect(ofType.data.points[0]?.realizable).toEqual({ signals: 1, avg_roi: -51.12 });
  });

  it.each([
    ['/v1/stats?include=percentiles', mustBeOne],
    ['/v1/stats?include=', mustBeOne],
    ['/v1/stats?include=distribution,outcomes', mustBeOne],
    ['/v1/stats?include=distribution&include=distribution', 'must be given only once'],
    ['/v1/stats/series?include=distribution', 'must be realizable'],
  ])('refuses %s, naming include', async (path, message) => {
    const response = await get(path);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      error: { code: 'INVALID_REQUEST', details: [{ field: 'include', message }] },
    });
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

  it.each([
    ['interval=year', 'interval', 'must be one of hour, day, week, month'],
    [
      'interval=hour',
      'interval',
      'must be day, week or month where period is all: an answer has at most 3000 points',
    ],
    ['period=24h&interval=hour&interval=day', 'interval', 'must be given only once'],
    ['period=1h&interval=hour', 'period', 'must be one of 24h, 7d, 30d, all'],
    ['from=2026-01-01', 'from', 'is not known'],
  ])('refuses a series ?%s, naming %s', async (query, field, message) => {
    const response = await get(`/v1/stats/series?${query}`);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      error: { code: 'INVALID_REQUEST', details: [{ field, message }] },
    });
  });

  it('answers a series oldest first, with zeros for intervals without signals', async () => {
    const response = await get('/v1/stats/series?period=24h');
    expect(response.status).toBe(200);
    expect(successSchema(statisticsSeriesSchema).safeParse(response.body).success).toBe(true);
    const { data } = response.body as { data: StatisticsSeries };
    expect(data).toMatchObject({ period: '24h', interval: 'hour', as_of: '2026-06-15T12:00:00.000Z' });
    const none = { total_signals: 0, winners: 0, win_rate: 0, avg_roi: 0, best_roi: 0 };
    expect(data.points).toEqual(
      Array.from({ length: 25 }, (_, n) => ({
        from: new Date(nowMs - dayMs + n * 3_600_000).toISOString(),
        // Signal 2 was created exactly a period ago.
        ...(n < 24 ? none : { ...none, total_signals: 2, avg_roi: 10, best_roi: 10 }),
      })),
    );
  });

  it('begins a series of all time with the first day that has a signal of the type', async () => {
    const seriesOf = async (query: string) =>
      ((await get(`/v1/stats/series?${query}`)).body as { data: StatisticsSeries }).data;
    const all = await seriesOf('');
    expect(all.interval).toBe('day');
    expect(all.points.map(({ from, total_signals }) => [from.slice(0, 10), total_signals])).toEqual([
      ['2026-06-05', 1],
      ...[6, 7, 8, 9, 10, 11, 12, 13].map((day) => [`2026-06-${String(day).padStart(2, '0')}`, 0]),
      ['2026-06-14', 1],
      ['2026-06-15', 2],
    ]);
    expect((await seriesOf('type=new')).points.map(({ from }) => from.slice(0, 10))).toEqual([
      '2026-06-14',
      '2026-06-15',
    ]);
    expect((await seriesOf('type=3d')).points).toEqual([]);
  });

  it('is for the gateway alone', async () => {
    for (const path of ['/v1/stats', '/v1/stats/series']) {
      const response = await getWithoutIdentity(path);
      expect(response.status).toBe(401);
      expect(response.body).toMatchObject({ success: false, error: { code: 'UNAUTHORIZED' } });
    }
  });

  it('is ready without the broker, and says that it is away', async () => {
    const response = await getWithoutIdentity('/readyz');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ status: 'ready', checks: { mongodb: 'ok', broker: 'failing' } });
  });
});

describe('the HTTP interface, when figures change', () => {
  const { get, record, advanceClock } = useApp();

  it.each([
    ['/v1/stats', 5],
    ['/v1/stats/series?period=30d', 6],
  ])('answers 304 to %s for as long as the figures stay as they are', async (path, signal) => {
    const { etag } = (await get(path)).headers as { etag: string };
    advanceClock(1_000);
    expect((await get(path).set('If-None-Match', etag)).status).toBe(304);
    const another = { signal, createdAtMs: nowMs, type: 'new', status: 'active', roi: 1, rev: 1 } as const;
    await record(another);
    expect((await get(path).set('If-None-Match', etag)).status).toBe(200);
  });
});
