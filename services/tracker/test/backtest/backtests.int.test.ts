import {
  type Backtest,
  backtestListItemSchema,
  backtestSchema,
  backtestTradeSchema,
  failureSchema,
  identityHeader,
  listSchema,
  maxBacktestSignals,
  maxBacktests,
  maxUnfinishedBacktests,
  successSchema,
} from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { newId } from '@sigcast/runtime';
import { askApp, testKeyPair } from '@sigcast/testing';
import type { Express } from 'express';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BacktestCount } from '../../src/domain/backtest/result.ts';
import { workOnBacktest } from '../../src/domain/backtest/work.ts';
import { revisionOf } from '../../src/domain/revision.ts';
import {
  type BacktestDocument,
  backtestsCollection,
  tradesCollection,
} from '../../src/store/backtest-document.ts';
import { mongoBacktestHistory } from '../../src/store/mongo-backtest-history.ts';
import { mongoBacktests, mongoBacktestWork } from '../../src/store/mongo-backtests.ts';
import { mongoRevisions } from '../../src/store/mongo-revisions.ts';
import { observationsCollection } from '../../src/store/observation-document.ts';
import { trackedCollection } from '../../src/store/tracked-document.ts';
import { createdMs, eventOf, signalId } from '../events.ts';
import { appOver, useMongo } from '../fixture.ts';

const minuteMs = 60_000;
const keys = testKeyPair();
const sign = identitySigner('gateway', keys.privateKey, 'tracker');
const tokenOf = (account: string) => sign({ subject: account, scopes: [], ttlS: 600 });
const since = new Date(createdMs - 1).toISOString();

describe('backtests', () => {
  const mongo = useMongo();
  let app: Express;
  let nowMs = createdMs;
  const now = () => new Date(nowMs);
  beforeAll(() => {
    app = appOver(mongo(), { gatewayKey: keys.publicKey, now });
  });
  beforeEach(async () => {
    for (const name of [observationsCollection, trackedCollection, backtestsCollection, tradesCollection])
      await mongo().collection(name).deleteMany({});
    // Bought at 1,000 dollars after a minute and a half, at 2,000 twice: sold at its target.
    for (const [n, [minutes, mcap]] of [
      [0, 1_000],
      [1.5, 1_000],
      [3, 2_000],
      [4, 2_100],
    ].entries() as unknown as [number, [number, number]][]) {
      nowMs = createdMs + minutes * minuteMs;
      const event = eventOf({ signal: 1, rev: n + 1, atMs: nowMs, mcap, liquidity: 20_000 });
      await mongoRevisions(mongo(), now).record(revisionOf(event));
    }
    nowMs = createdMs + 60 * minuteMs;
  });

  const post = (body: object, { account = 'acct_1', key }: { account?: string; key?: string } = {}) => {
    const sent = askApp(app).post('/v1/backtests').set(identityHeader, tokenOf(account));
    return (key === undefined ? sent : sent.set('Idempotency-Key', key)).send(body);
  };
  const get = (path: string, account = 'acct_1') =>
    askApp(app).get(`/v1/backtests${path}`).set(identityHeader, tokenOf(account));
  const remove = (id: string, account = 'acct_1') =>
    askApp(app).delete(`/v1/backtests/${id}`).set(identityHeader, tokenOf(account));
  const created = async (body: object = { filters: { since } }, more = {}) => {
    const answer = await post(body, more);
    expect(answer.status).toBe(201);
    return successSchema(backtestSchema).parse(answer.body).data;
  };
  const pause = async () => undefined;
  const work = () =>
    workOnBacktest(
      { work: mongoBacktestWork(mongo()), history: mongoBacktestHistory(mongo()), now, pause },
      new AbortController().signal,
    );
  const refusal = (answer: { status: number; body: unknown }) => {
    const { code, message, details } = failureSchema.parse(answer.body).error;
    return { status: answer.status, code, message, fields: details?.map(({ field }) => field) };
  };

  it('a backtest waits for its turn, and has its result once a process has worked on it', async () => {
    const { id, ...queued } = await created();
    expect(queued).toMatchObject({
      status: 'queued',
      progress: { done: 0, total: 1 },
      result: null,
      finished_at: null,
      parameters: { delay_minutes: 1, size_usd: 100, target: 2, stop: 0.5, hold_hours: 168 },
    });

    expect(await work()).toMatchObject({ id, outcome: 'finished' });

    const { data } = successSchema(backtestSchema).parse((await get(`/${id}`)).body);
    expect(data).toMatchObject({ status: 'completed', progress: { done: 1, total: 1 }, error: null });
    // 99 dollars for tokens worth 98.03 at the entry, which bring 201.67 at the second 2,100 dollars, after 1 % of each.
    const [x, bought] = [10_000, (10_000 * 99) / 10_099];
    const brought = ((x * bought * 2.1) / (x + bought * 2.1)) * 0.99;
    expect(data.result).toMatchObject({
      signals: 1,
      trades: 1,
      profit_usd: expect.closeTo(brought - 100, 1),
      by_exit: { open: 0, target: 1, stop: 0, end: 0 },
      best: [
        {
          signal_id: signalId(1),
          exit: 'target',
          entered_at: new Date(createdMs + 1.5 * minuteMs).toISOString(),
          exited_at: new Date(createdMs + 4 * minuteMs).toISOString(),
        },
      ],
    });
  });

  it('a backtest’s parameters, sent as the body of a request, ask for the same backtest again', async () => {
    for (const filters of [{ since }, { since, is_premium: false, min_mcap: 500, types: ['new'] }]) {
      const filter = 'types' in filters ? { 'token.chain': { in: ['base'] } } : null;
      const { parameters } = await created({ filters, filter, target: null, delay_minutes: 0 });
      expect((await created(parameters)).parameters).toEqual(parameters);
      await mongo().collection(backtestsCollection).deleteMany({});
    }
  });

  it('a backtest is of the signals that were created after since and up to until, and are bought within an hour after the delay', async () => {
    const of = async (more: object) => {
      const { id } = await created(more, { account: newId('acct') });
      await work();
      const found = await mongo().collection<BacktestDocument>(backtestsCollection).findOne({ _id: id });
      const { signals = -1, trades = -1 } = found?.result ?? {};
      return { signals, trades };
    };
    const at = (ms: number) => new Date(createdMs + ms).toISOString();
    const longAgo = { since: at(-minuteMs) };
    const as_of = at(30 * minuteMs);
    expect(await of({ as_of, filters: { since: at(-1), until: at(0) } })).toEqual({ signals: 1, trades: 1 });
    expect(await of({ as_of, filters: { ...longAgo, until: at(-1) } })).toEqual({ signals: 0, trades: 0 });
    expect(await of({ as_of, filters: { since: at(0) } })).toEqual({ signals: 0, trades: 0 });
    expect(await of({ as_of, filters: longAgo, delay_minutes: 5 })).toEqual({ signals: 1, trades: 0 });
    nowMs = createdMs + 65 * minuteMs;
    const late = eventOf({ signal: 1, rev: 5, atMs: nowMs, mcap: 1_000, liquidity: 20_000 });
    await mongoRevisions(mongo(), now).record(revisionOf(late));
    nowMs += 10 * minuteMs;
    expect(await of({ filters: longAgo, delay_minutes: 5 })).toEqual({ signals: 1, trades: 1 });
    expect(await of({ filters: longAgo, delay_minutes: 4 })).toEqual({ signals: 1, trades: 1 });
  });

  it.each<[object, boolean]>([
    [{ 'metrics.mcap_entry': { eq: 1_000 }, 'token.contract': { eq: '0X1' }, type: { eq: 'new' } }, true],
    [{ 'metrics.liquidity': { gte: 20_000 }, 'metrics.holders': { eq: 21 } }, true],
    // Figures of later observations, one of which is that of the purchase.
    [{ 'metrics.holders': { gt: 21 } }, false],
    [{ 'metrics.mcap_current': { gt: 1_000 } }, false],
    [{ not: { is_premium: { eq: true } } }, true],
    [{ created_at: { lt: since } }, false],
  ])('a backtest with the filter %j buys a signal by how it was created: %j', async (filter, isBought) => {
    const { id, parameters } = await created({ filters: { since }, filter });
    expect(parameters.filter).toEqual(filter);
    await work();
    const { data } = successSchema(backtestSchema).parse((await get(`/${id}`)).body);
    const not_bought = { no_entry: 0, filtered: isBought ? 0 : 1 };
    expect(data.result).toMatchObject({ signals: 1, trades: isBought ? 1 : 0, not_bought });
  });

  it('a backtest with a filter on figures leaves out a signal of which a later revision was known first', async () => {
    await mongo().collection(observationsCollection).deleteMany({});
    await mongo().collection(trackedCollection).deleteMany({});
    for (const rev of [2, 1]) {
      nowMs = createdMs + (4 - rev) * minuteMs;
      const event = eventOf({
        signal: 1,
        rev,
        atMs: createdMs + rev * minuteMs,
        mcap: 1_000,
        liquidity: 20_000,
      });
      await mongoRevisions(mongo(), now).record(revisionOf(event));
    }
    nowMs = createdMs + 60 * minuteMs;
    const tradesOf = async (filter: object) => {
      const { id } = await created({ filters: { since }, filter });
      await work();
      return successSchema(backtestSchema).parse((await get(`/${id}`)).body).data.result?.trades;
    };
    expect(await tradesOf({ 'metrics.liquidity': { gt: 0 } })).toBe(0);
    expect(await tradesOf({ 'metrics.mcap_entry': { gt: 0 } })).toBe(1);
  });

  it(`has at most ${maxBacktestSignals} signals, and says so`, async () => {
    const counted: number[] = [];
    const count = async (_filter: unknown, most: number) => {
      counted.push(most);
      return most;
    };
    const limited = appOver(mongo(), { gatewayKey: keys.publicKey, backtestHistory: { count }, now });
    const answer = await askApp(limited)
      .post('/v1/backtests')
      .set(identityHeader, tokenOf('acct_1'))
      .send({ filters: { since } });
    expect(refusal(answer)).toMatchObject({ status: 400, fields: ['filters.since'] });
    expect(refusal(answer).message).toContain(String(maxBacktestSignals));
    expect(counted).toEqual([maxBacktestSignals + 1]);
  });

  it('a list has the newest first, without histograms and equity curves', async () => {
    const first = await created();
    await work();
    const second = await created();
    const { data, meta } = listSchema(backtestListItemSchema).parse((await get('?limit=1')).body);
    expect(data.map(({ id }) => id)).toEqual([second.id]);
    expect(meta).toMatchObject({ total: 2, total_pages: 2 });
    const older = listSchema(backtestListItemSchema).parse((await get('?limit=1&page=2')).body).data;
    expect(older).toMatchObject([{ id: first.id, result: { trades: 1 } }]);
    const stored = await mongoBacktests(mongo()).list('acct_1', { skip: 1, limit: 1 });
    expect(Object.keys(stored.items[0]?.result ?? {})).not.toEqual(expect.arrayContaining(['histogram']));
  });

  it('a backtest is its account’s alone', async () => {
    const { id } = await created();
    expect(refusal(await get(`/${id}`, 'acct_2'))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(refusal(await remove(id, 'acct_2'))).toMatchObject({ status: 404 });
    const list = await get('', 'acct_2');
    expect(list.body).toMatchObject({ data: [], meta: { total: 0 } });
    expect(list.headers['cache-control']).toBe('no-store');
    expect((await get(`/${id}`)).status).toBe(200);
  });

  it('all trades of a backtest are read by page or by cursor once it is completed, and are deleted with it', async () => {
    const { id } = await created();
    expect(refusal(await get(`/${id}/trades`))).toMatchObject({ status: 409, code: 'CONFLICT' });
    // More than a store's document of them.
    const leased = await mongoBacktestWork(mongo()).lease(now(), new Date(nowMs + minuteMs));
    if (leased === undefined) throw new Error('no backtest is due');
    const count = new BacktestCount(leased.parameters);
    for (let n = 0; n < 1_203; n++) {
      const enteredAt = createdMs + n;
      const trade = { enteredAt, mcap: 1, worth: 1, roi: n / 100 };
      const results = [{ at: enteredAt, hundredths: n }];
      count.add({ id: newId('sig'), symbol: `S${n}`, type: 'new' }, { kind: 'trade', trade, results });
    }
    const found = count.found(now());
    expect(await mongoBacktestWork(mongo()).finish(leased, { ...found, at: now() })).toBe(true);

    const page = async (query: string) =>
      listSchema(backtestTradeSchema).parse((await get(`/${id}/trades${query}`)).body);
    const all = [];
    for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; ) {
      const { data, meta } = await page(`?limit=450${cursor && `&cursor=${cursor}`}`);
      expect(meta).toMatchObject({ total: 1_203, total_pages: 3 });
      all.push(...data);
      cursor = meta.next_cursor;
    }
    expect(all).toEqual(found.trades);
    expect((await page('?page=2&limit=1000')).data).toEqual(found.trades.slice(1_000));
    expect(await page('?page=3&limit=1000')).toMatchObject({
      data: [],
      meta: { page: 3, next_cursor: null },
    });
    expect(refusal(await get(`/${id}/trades?cursor=dHJhZGUgMQ0`))).toMatchObject({ fields: ['cursor'] });
    expect(refusal(await get(`/${id}/trades`, 'acct_2'))).toMatchObject({ status: 404 });

    expect((await remove(id)).status).toBe(200);
    expect(await mongo().collection(tradesCollection).countDocuments({})).toBe(0);
  });

  it('a backtest has the name that it was given', async () => {
    const { id } = await created({ name: ' Patient, big pools ', filters: { since } });
    expect((await get(`/${id}`)).body).toMatchObject({ data: { name: 'Patient, big pools' } });
    expect((await get('')).body).toMatchObject({ data: [{ name: 'Patient, big pools' }] });
    expect(await created()).toMatchObject({ name: null });
  });

  it('the same Idempotency-Key and body within 24 hours find the first backtest, another body is a conflict', async () => {
    const first = await created(undefined, { key: 'one' });
    nowMs += 23 * 60 * minuteMs;
    expect((await created(undefined, { key: 'one' })).id).toBe(first.id);
    expect(refusal(await post({ filters: { since }, target: 3 }, { key: 'one' }))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
    });
    expect((await created(undefined, { key: 'one', account: 'acct_2' })).id).not.toBe(first.id);
    nowMs += 60 * minuteMs;
    expect((await created(undefined, { key: 'one' })).id).not.toBe(first.id);
    expect(refusal(await post({ filters: { since } }, { key: 'with space' }))).toMatchObject({
      fields: ['Idempotency-Key'],
    });
  });

  it('a deleted backtest is made no second time by its Idempotency-Key, and takes no room', async () => {
    const first = await created(undefined, { key: 'k1' });
    await work();
    expect((await remove(first.id)).status).toBe(200);
    expect(await created(undefined, { key: 'k1' })).toEqual(first);
    expect((await get(`/${first.id}`)).status).toBe(404);
    expect((await get('')).body).toMatchObject({ data: [], meta: { total: 0 } });
    expect((await remove(first.id)).status).toBe(404);
    nowMs += 24 * 60 * minuteMs;
    expect((await created(undefined, { key: 'k1' })).id).not.toBe(first.id);
    // Each in the slot of the one before, which is unfinished.
    for (const key of ['k2', 'k3'])
      expect((await remove((await created(undefined, { key })).id)).status).toBe(200);
  });

  it('a backtest is made no second time by a request whose Idempotency-Key makes and deletes it meanwhile', async () => {
    const made: Backtest[] = [];
    const count = async () => {
      made.push(await created(undefined, { key: 'k2' }));
      return Number((await remove(made[0]?.id ?? '')).status === 200);
    };
    const app = appOver(mongo(), {
      gatewayKey: keys.publicKey,
      now,
      backtestHistory: { ...mongoBacktestHistory(mongo()), count },
    });
    const asked = askApp(app).post('/v1/backtests').set(identityHeader, tokenOf('acct_1'));
    const answer = await asked.set('Idempotency-Key', 'k2').send({ filters: { since } });
    expect(answer.body).toMatchObject({ data: made[0] });
    expect(await mongo().collection(backtestsCollection).countDocuments()).toBe(1);
  });

  it('requests at once with one Idempotency-Key make one backtest', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => created(undefined, { key: 'same' })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });

  it(`an account has at most ${maxUnfinishedBacktests} unfinished backtests, however many requests come at once, and no signals are counted for more`, async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ filters: { since } })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(maxUnfinishedBacktests);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      const { status, code, message } = refusal(answer);
      expect({ status, code }).toEqual({ status: 409, code: 'CONFLICT' });
      expect(message).toContain('unfinished');
    }
    const history = mongoBacktestHistory(mongo());
    const count = () =>
      Promise.reject(new Error('signals are counted before the account’s bound is checked'));
    const withoutCount = appOver(mongo(), {
      gatewayKey: keys.publicKey,
      now,
      backtestHistory: { ...history, count },
    });
    const refused = askApp(withoutCount).post('/v1/backtests').set(identityHeader, tokenOf('acct_1'));
    expect((await refused.send({ filters: { since } })).status).toBe(409);
    nowMs += 1_000;
    await created(undefined, { account: 'acct_2' });
    await work(); // on one of acct_1, which waits longer
    await created();
  });

  it(`an account has at most ${maxBacktests} backtests, until it deletes one`, async () => {
    const kept = Array.from({ length: maxBacktests }, () => newId('bt'));
    const documents = kept.map((_id) => ({
      _id,
      account: 'acct_1',
      status: 'completed',
      created_at: now(),
      done: 0,
      total: 0,
    }));
    await mongo()
      .collection<BacktestDocument>(backtestsCollection)
      .insertMany(documents as unknown as BacktestDocument[]);
    expect(refusal(await post({ filters: { since } }))).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect((await remove(kept[0] ?? '')).body).toEqual({
      success: true,
      data: { id: kept[0], deleted: true },
    });
    await created();
  });

  it.each([
    ['filters', {}],
    ['name', { name: 'x'.repeat(81), filters: { since } }],
    ['filters.since', { filters: {} }],
    ['filters.since', { filters: { since: 'yesterday' } }],
    ['filters.since', { filters: { since: '2020-01-01' } }],
    ['filters.since', { filters: { since, until: since } }],
    ['filters.since', { filters: { since: new Date(createdMs + 86_400_000).toISOString() } }],
    ['filter.performance.roi', { filters: { since }, filter: { 'performance.roi': { gt: 0 } } }],
    ['filters.types', { filters: { since, types: [] } }],
    ['filters.types.0', { filters: { since, types: ['foo'] } }],
    ['filters.max_mcap', { filters: { since, min_mcap: 2, max_mcap: 1 } }],
    ['filters.status', { filters: { since, status: 'winner' } }],
    ['as_of', { filters: { since }, as_of: new Date(createdMs + 60 * minuteMs - 59_999).toISOString() }],
    ['target', { filters: { since }, target: 1 }],
    ['stop', { filters: { since }, stop: 1 }],
    ['size_usd', { filters: { since }, size_usd: 0 }],
    ['hold_hours', { filters: { since }, hold_hours: 721 }],
    ['delay_minutes', { filters: { since }, delay_minutes: 0.5 }],
    ['costs.fee_percent', { filters: { since }, costs: { fee_percent: 51 } }],
  ])('names %s where it is wrong or missing in %j', async (field, body) => {
    expect(refusal(await post(body))).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      fields: [field],
    });
    expect((await get('')).body).toMatchObject({ meta: { total: 0 } });
  });

  it('a deleted backtest is gone, also while a process works on it', async () => {
    const { id } = await created();
    const history = mongoBacktestHistory(mongo());
    const deleting = {
      ...history,
      observations: async (...args: Parameters<typeof history.observations>) => {
        await remove(id);
        return history.observations(...args);
      },
    };
    const deps = { work: mongoBacktestWork(mongo()), history: deleting, now, pause };
    expect(await workOnBacktest(deps, new AbortController().signal)).toEqual({ id, outcome: 'lease lost' });
    expect((await get(`/${id}`)).status).toBe(404);
    expect(await mongo().collection(backtestsCollection).countDocuments({})).toBe(0);
    expect(await mongo().collection(tradesCollection).countDocuments({})).toBe(0);
  });
});
