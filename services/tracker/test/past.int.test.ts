import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  identityHeader,
  listSchema,
  signalDetailSchema,
  signalListItemSchema,
  statisticsSchema,
  successSchema,
} from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { eventually, gatedConnection, testKeyPair } from '@sigcast/testing';
import type { Express } from 'express';
import request from 'supertest';
import type { PastStore } from '../src/domain/past.ts';
import { presentRevision, revisionOf } from '../src/domain/revision.ts';
import { mongoPast } from '../src/store/mongo-past.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import {
  type ObservationDocument,
  observationsCollection,
  toDocument,
} from '../src/store/observation-document.ts';
import { thinObservations } from '../src/store/thin-observations.ts';
import { trackedCollection } from '../src/store/tracked-document.ts';
import { type Change, createdMs, eventOf, signalId } from './events.ts';
import { appOver, useMongo } from './fixture.ts';
import { comparePastWithReplay } from './past-model.ts';

jest.setTimeout(120_000);

const minuteMs = 60_000;
const dayMs = 86_400_000;
const keys = testKeyPair();
const token = identitySigner('gateway', keys.privateKey)({ subject: 'acct_1', scopes: [], ttlS: 600 });

describe('a random past', () => {
  const mongo = useMongo();

  it('lists, details and statistics as of random instants equal a replay of what was recorded by then', async () => {
    await comparePastWithReplay(mongo(), { histories: 25, instants: 10 });
  });
});

describe('the past', () => {
  const mongo = useMongo();
  let app: Express;
  /** The clock of both the consumer and the routes. */
  let nowMs = createdMs;
  const now = () => new Date(nowMs);
  beforeAll(() => {
    app = appOver(mongo(), { gatewayKey: keys.publicKey, now });
  });
  beforeEach(async () => {
    for (const name of [observationsCollection, trackedCollection])
      await mongo().collection(name).deleteMany({});
    nowMs = createdMs;
  });

  /** Has a change recorded at an instant, minutes after the signal's creation. */
  const record = async (minutes: number, change: Omit<Change, 'atMs' | 'signal'> & { signal?: number }) => {
    nowMs = createdMs + minutes * minuteMs;
    await mongoRevisions(mongo(), now).record(revisionOf(eventOf({ signal: 1, atMs: nowMs, ...change })));
  };
  const at = (minutes: number) => new Date(createdMs + minutes * minuteMs).toISOString();
  const get = (path: string) => request(app).get(path).set(identityHeader, token);
  const detail = async (minutes: number) => {
    const answer = await get(`/v1/signals/${signalId(1)}?as_of=${at(minutes)}`);
    return answer.status === 200
      ? successSchema(signalDetailSchema).parse(answer.body).data
      : (answer.body as { error: { code: string; message: string } }).error;
  };
  const details = (answer: { status: number; body: unknown }) => {
    const { error } = answer.body as {
      error: { code: string; details?: { field: string; message: string }[] };
    };
    return { status: answer.status, code: error.code, details: error.details };
  };

  it('a signal as of an instant has the figures and the status that were known then, and nothing later', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    await record(10, { rev: 2, mcap: 3_000, mcapAth: 3_000, athHours: 0.17 });
    await record(20, {
      rev: 3,
      mcap: 2_000,
      mcapAth: 3_000,
      athHours: 0.17,
      status: 'winner',
      getsStatus: true,
    });
    await record(30, {
      rev: 4,
      mcap: 10,
      mcapAth: 3_000,
      athHours: 0.17,
      status: 'rugged',
      getsStatus: true,
    });
    nowMs = createdMs + 60 * minuteMs;
    expect(await detail(-1)).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining(at(-1)) });
    expect(await detail(9.99)).toMatchObject({
      ...{ metrics: { mcap_current: 1_000, mcap_ath: 1_000 }, performance: { status: 'active', roi: 0 } },
    });
    expect(await detail(10)).toMatchObject({
      metrics: { mcap_current: 3_000, mcap_ath: 3_000, volume_24h: 12, holders: 22 },
      performance: { status: 'active', roi: 200, ath_roi: 200, time_to_ath_hours: 0.17 },
    });
    expect(await detail(29)).toMatchObject({ performance: { status: 'winner', roi: 100, ath_roi: 200 } });
    expect(await detail(59)).toMatchObject({ performance: { status: 'rugged', roi: -99 } });
  });

  it('what comes late is known from when it came, and does not hide what is newer', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    await record(10, { rev: 3, mcap: 3_000 });
    await record(20, { rev: 2, mcap: 2_000 });
    nowMs = createdMs + 60 * minuteMs;
    expect(await detail(15)).toMatchObject({ metrics: { mcap_current: 3_000 } });
    expect(await detail(59)).toMatchObject({ metrics: { mcap_current: 3_000 } });
  });

  it('an answer as of an instant stays the same when events come again and when a backfill runs', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    nowMs = createdMs + 10 * minuteMs;
    const state = eventOf({ signal: 1, rev: 2, atMs: nowMs, mcap: 2_000 });
    await mongoRevisions(mongo(), now).recordStates([presentRevision({ rev: 2, signal: state.data })]);
    nowMs = createdMs + 60 * minuteMs;
    const before = [await detail(5), await detail(15)];
    expect(before).toMatchObject([
      { metrics: { mcap_current: 1_000 } },
      { metrics: { mcap_current: 2_000 } },
    ]);
    await record(70, { rev: 1, mcap: 1_000 });
    await mongoRevisions(mongo(), now).record(revisionOf(state));
    await mongoRevisions(mongo(), now).recordStates([presentRevision({ rev: 2, signal: state.data })]);
    nowMs = createdMs + 200 * minuteMs;
    expect([await detail(5), await detail(15)]).toEqual(before);
  });

  it('a backfill makes known what the version before recorded, which did not say since when it was known', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    await record(10, { rev: 2, mcap: 10, status: 'dead', getsStatus: true });
    await record(11, { signal: 2, rev: 1, mcap: 1_000 });
    const newer = { known_at: '', mcap_ath: '', ath_hours: '' };
    await mongo().collection(observationsCollection).updateMany({}, { $unset: newer });
    const more = { token: '', symbol_key: '', type: '', is_premium: '', status_known_at: '', revs_known: '' };
    await mongo()
      .collection(trackedCollection)
      .updateMany({}, { $unset: { known_at: '', ...more } });
    nowMs = createdMs + 20 * minuteMs;
    const state = eventOf({ signal: 1, rev: 2, atMs: createdMs + 10 * minuteMs, mcap: 10, status: 'dead' });
    const backfill = () =>
      mongoRevisions(mongo(), now).recordStates([presentRevision({ rev: 2, signal: state.data })]);
    expect(await backfill()).toBe(1);
    await record(30, { signal: 2, rev: 2, mcap: 2_000 });
    nowMs = createdMs + 60 * minuteMs;
    expect(await backfill()).toBe(0);
    expect(await detail(19)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await detail(20)).toMatchObject({
      metrics: { mcap_current: 10 },
      performance: { status: 'dead' },
    });
    const listed = await get(`/v1/signals?as_of=${at(30)}`);
    expect((listed.body as { data: { id: string }[] }).data.map(({ id }) => id).sort()).toEqual(
      [1, 2].map(signalId),
    );
    expect((await get(`/v1/signals/${signalId(1)}/history`)).body).toMatchObject({
      data: { changes: [{ status: 'dead', decided_by: 'producer' }], buckets: [{}, {}] },
    });
  });

  it('what a replica of the version before recorded in between is known from the backfill on', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    const dead = eventOf({
      ...{ signal: 1, rev: 2, atMs: createdMs + minuteMs, mcap: 1, status: 'dead', getsStatus: true },
    });
    const before = { ...toDocument({ ...revisionOf(dead), knownAt: now() }) } as Partial<ObservationDocument>;
    delete before.known_at;
    delete before.mcap_ath;
    delete before.ath_hours;
    await mongo()
      .collection(observationsCollection)
      .insertOne(before as object);
    await mongo()
      .collection(trackedCollection)
      .updateOne({ _id: signalId(1) as never }, { $set: { rev: 2, status: 'dead' }, $unset: { due_at: '' } });
    nowMs = createdMs + 5 * minuteMs;
    const state = presentRevision({ rev: 2, signal: dead.data });
    expect(await mongoRevisions(mongo(), now).recordStates([state])).toBe(1);
    await record(7, { rev: 2, mcap: 1, status: 'dead', getsStatus: true });
    nowMs = createdMs + 60 * minuteMs;
    expect(await detail(4)).toMatchObject({
      metrics: { mcap_current: 1_000 },
      performance: { status: 'active' },
    });
    expect(await detail(5)).toMatchObject({ metrics: { mcap_current: 1 }, performance: { status: 'dead' } });
  });

  it('an event of the version before that comes again is known from then on', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    await mongo()
      .collection(observationsCollection)
      .updateMany({}, { $unset: { known_at: '', mcap_ath: '', ath_hours: '' } });
    await mongo()
      .collection(trackedCollection)
      .updateMany({}, { $unset: { known_at: '', revs_known: '', token: '', symbol_key: '', type: '' } });
    await record(10, { rev: 1, mcap: 1_000 });
    nowMs = createdMs + 60 * minuteMs;
    expect(await detail(9)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await detail(10)).toMatchObject({ metrics: { mcap_current: 1_000, mcap_ath: 1_000 } });
  });

  it('what a killed process had not finished is known from when it is finished, since nobody was shown it before', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    nowMs = createdMs + 10 * minuteMs;
    const event = eventOf({
      signal: 1,
      rev: 2,
      atMs: nowMs,
      mcap: 5_000,
      status: 'winner',
      getsStatus: true,
    });
    let operations = 0;
    const killed = gatedConnection(mongo(), async (moment) =>
      moment === 'before' && ++operations === 2 ? 'die' : 'go on',
    );
    await expect(mongoRevisions(killed, now).record(revisionOf(event))).rejects.toThrow();
    nowMs = createdMs + 30 * minuteMs;
    const shown = await detail(15);
    expect(shown).toMatchObject({ metrics: { mcap_current: 1_000 }, performance: { status: 'active' } });
    await mongoRevisions(mongo(), now).record(revisionOf(event));
    nowMs = createdMs + 60 * minuteMs;
    expect(await detail(15)).toEqual(shown);
    expect(await detail(30)).toMatchObject({ performance: { status: 'winner', roi: 400 } });
  });

  it('a list does not end where the observations of a signal are lost', async () => {
    for (let signal = 1; signal <= 5; signal++) await record(signal, { signal, rev: 1, mcap: 1_000 });
    await mongo()
      .collection(observationsCollection)
      .deleteMany({ _id: `${signalId(4)}:000001` as never });
    nowMs = createdMs + 60 * minuteMs;
    const answer = await get(`/v1/signals?as_of=${at(50)}&limit=2`);
    const { data, meta } = listSchema(signalListItemSchema).parse(answer.body);
    expect(data.map(({ id }) => id)).toEqual([signalId(5)]);
    expect(meta).toMatchObject({ total: 5, next_cursor: expect.any(String) });
  });

  it('thinning leaves what was known first, and all-time highs that came late, as they were', async () => {
    await record(10, { rev: 2, mcap: 2_000, mcapAth: 9_000 });
    await record(12, { rev: 1, mcap: 1_000 });
    await record(20, { rev: 4, mcap: 1_500, mcapAth: 9_500 });
    await record(21, { rev: 5, mcap: 1_400, mcapAth: 9_500 });
    await record(22, { rev: 3, mcap: 9_500, mcapAth: 9_500 });
    for (let rev = 6; rev < 12; rev++) await record(20 + rev, { rev, mcap: 1_000, mcapAth: 9_500 });
    nowMs = createdMs + 40 * dayMs;
    const instants = [10, 11, 12, 15, 20, 21, 22, 25, 30, 40];
    type Shown = Exclude<Awaited<ReturnType<typeof detail>>, { code: string }>;
    const read = async () =>
      (await Promise.all(instants.map((minutes) => detail(minutes) as Promise<Shown>))).map(
        ({ metrics, performance }) => [metrics.mcap_ath, performance.ath_roi, performance.status],
      );
    const before = await read();
    expect((await thinObservations(mongo(), now)).removed).toBeGreaterThan(0);
    expect(await read()).toEqual(before);
  });

  it('after thinning, status and all-time high as of each instant stay as they were, and the figures are of the hour before at the earliest where the signal was observed in it', async () => {
    for (let rev = 1; rev <= 40; rev++) {
      const mcap = rev === 15 ? 5_000 : 1_000 + rev;
      const mcapAth = rev < 15 ? mcap : 5_000;
      const status = rev < 25 ? 'active' : 'winner';
      await record(rev * 7, { rev, mcap, mcapAth, status, ...(rev === 25 && { getsStatus: true }) });
    }
    nowMs = createdMs + 40 * dayMs;
    const instants = Array.from({ length: 40 }, (_, n) => 10 + n * 7);
    type Shown = Exclude<Awaited<ReturnType<typeof detail>>, { code: string }>;
    const read = () => Promise.all(instants.map((minutes) => detail(minutes) as Promise<Shown>));
    const before = await read();
    expect((await thinObservations(mongo(), now)).removed).toBeGreaterThan(20);
    const after = await read();
    for (const [n, signal] of after.entries()) {
      const was = before[n];
      expect(signal.performance.status).toBe(was?.performance.status);
      expect(signal.metrics.mcap_ath).toBe(was?.metrics.mcap_ath);
      const olderMs = Date.parse(was?.updated_at ?? '') - Date.parse(signal.updated_at);
      expect(olderMs).toBeGreaterThanOrEqual(0);
      expect(olderMs).toBeLessThanOrEqual(60 * minuteMs);
    }
  });

  it('a list as of an instant has the signals known then, in the order and with the links and meta of every list', async () => {
    for (let signal = 1; signal <= 5; signal++) await record(signal, { signal, rev: 1, mcap: 1_000 });
    await record(20, { signal: 2, rev: 2, mcap: 1, status: 'dead', getsStatus: true });
    nowMs = createdMs + 60 * minuteMs;
    const read = async (query: string) => {
      const answer = await get(`/v1/signals?${query}`);
      const { data, meta } = listSchema(signalListItemSchema).parse(answer.body);
      return { ids: data.map(({ id }) => id), meta, link: answer.headers.link };
    };
    const first = await read(`as_of=${at(4)}&limit=3`);
    expect(first).toMatchObject({
      ids: [4, 3, 2].map(signalId),
      meta: { total: 4, page: 1, per_page: 3, total_pages: 2 },
      link: expect.stringContaining('as_of='),
    });
    const { next_cursor } = first.meta;
    expect(await read(`as_of=${at(4)}&limit=3&cursor=${next_cursor}`)).toMatchObject({
      ids: [signalId(1)],
      meta: { total: 4, page: 2, next_cursor: null },
    });
    expect((await read(`as_of=${at(19)}&status=dead`)).ids).toEqual([]);
    expect((await read(`as_of=${at(20)}&status=dead`)).ids).toEqual([signalId(2)]);
    expect((await read(`as_of=${at(19)}&status=active`)).ids).toHaveLength(5);
    expect((await read(`as_of=${at(20)}&status=active`)).ids).toEqual([5, 4, 3, 1].map(signalId));
    expect((await read(`as_of=${at(20)}&status=active,dead`)).ids).toHaveLength(5);
    expect((await read(`as_of=${at(20)}&symbol=tkn&contract=0x3`)).ids).toEqual([signalId(3)]);
  });

  it('statistics as of an instant are those of the signals known then', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    await record(10, { signal: 2, rev: 1, mcap: 3_000 });
    await record(20, { rev: 2, mcap: 2_000, status: 'winner', getsStatus: true });
    nowMs = createdMs + 60 * minuteMs;
    const read = async (query: string) =>
      successSchema(statisticsSchema).parse((await get(`/v1/stats?${query}`)).body).data;
    expect(await read(`as_of=${at(15)}`)).toMatchObject({
      ...{ total_signals: 2, winners: 0, avg_roi: 100, best_roi: 200, as_of: at(15) },
    });
    expect(await read(`as_of=${at(20)}&type=new&include=distribution`)).toMatchObject({
      ...{ total_signals: 2, winners: 1, win_rate: 50, avg_roi: 150 },
      distribution: { by_status: { active: 1, winner: 1 }, roi: { median: 100 } },
    });
  });

  it('statistics as of an instant are counted one after another, and not at all once their client has gone', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    nowMs = createdMs + 60 * minuteMs;
    const store = mongoPast(mongo());
    let [counting, most, begun] = [0, 0, 0];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const counted: PastStore = {
      ...store,
      count: async (filter, limit) => {
        begun += 1;
        counting += 1;
        most = Math.max(most, counting);
        await held;
        counting -= 1;
        return store.count(filter, limit);
      },
    };
    const server = createServer(appOver(mongo(), { gatewayKey: keys.publicKey, past: counted, now }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/stats?as_of=${at(5)}`;
    const ask = (signal?: AbortSignal) =>
      fetch(url, { headers: { [identityHeader]: token }, ...(signal && { signal }) });
    const first = ask();
    await eventually(() => expect(begun).toBe(1));
    const gone = new AbortController();
    const asked = once(server, 'request');
    const second = ask(gone.signal);
    const [, response] = (await asked) as [unknown, ServerResponse];
    gone.abort();
    await expect(second).rejects.toThrow();
    await eventually(() => expect(response.closed).toBe(true));
    const third = ask();
    release();
    expect([(await first).status, (await third).status]).toEqual([200, 200]);
    expect([most, begun]).toEqual([1, 2]);
    server.close();
  });

  it.each([`/v1/signals`, `/v1/signals/${signalId(1)}`, '/v1/stats'])(
    '%s refuses an instant that is too recent, wrong or missing, and names as_of',
    async (path) => {
      nowMs = createdMs + 60 * minuteMs;
      for (const query of [`?as_of=${at(59.5)}`, `?as_of=${at(90)}`, '?as_of=yesterday', '']) {
        expect(details(await get(path + query))).toMatchObject({
          ...{ status: 400, code: 'INVALID_REQUEST', details: [{ field: 'as_of' }] },
        });
      }
    },
  );

  it('an answer as of an instant has an ETag, and is not sent again to whoever has it', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    nowMs = createdMs + 60 * minuteMs;
    for (const path of [`/v1/signals`, `/v1/signals/${signalId(1)}`, '/v1/stats']) {
      const first = await get(`${path}?as_of=${at(5)}`);
      expect(first.status).toBe(200);
      const again = await get(`${path}?as_of=${at(5)}`).set('If-None-Match', String(first.headers.etag));
      expect(again.status).toBe(304);
    }
  });

  it('who decided a status is not answered as of an instant, and the error says where it is', async () => {
    nowMs = createdMs + 60 * minuteMs;
    for (const path of [`/v1/signals`, `/v1/signals/${signalId(1)}`]) {
      expect(details(await get(`${path}?as_of=${at(5)}&include=outcome`))).toMatchObject({
        status: 400,
        details: [{ field: 'include', message: expect.stringContaining('history') }],
      });
    }
  });

  it('what could be earned is not answered as of an instant', async () => {
    nowMs = createdMs + 60 * minuteMs;
    for (const include of ['realizable', 'distribution,realizable']) {
      expect(details(await get(`/v1/stats?as_of=${at(5)}&include=${include}`))).toMatchObject({
        status: 400,
        details: [{ field: 'include', message: 'must be distribution where there is as_of' }],
      });
    }
  });
});
