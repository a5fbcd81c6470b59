import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import {
  failureSchema,
  identityHeader,
  listSchema,
  signalListItemSchema,
  statisticsSchema,
  successSchema,
} from '@sigcast/contracts';
import { askApp, eventually, listenOnLoopback } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import type { PastStore } from '../src/domain/past.ts';
import { mongoPast } from '../src/store/mongo-past.ts';
import { observationsCollection } from '../src/store/observation-document.ts';
import { signalId } from './events.ts';
import { usePast } from './use-past.ts';

describe('answers as of an instant', () => {
  const { mongo, token, tokenOf, setClock, appWith, at, get, record } = usePast();
  const refusal = (answer: { status: number; body: unknown }) => {
    const { code, details } = failureSchema.parse(answer.body).error;
    return { status: answer.status, code, details };
  };

  it('a list as of an instant has the signals known then, in the order and with the links and meta of every list', async () => {
    for (let signal = 1; signal <= 5; signal++) await record(signal, { signal, rev: 1, mcap: 1_000 });
    await record(20, { signal: 2, rev: 2, mcap: 1, status: 'dead', getsStatus: true });
    setClock(60);
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
    expect((await read(`as_of=${at(20)}&symbol=nova&contract=0X3`)).ids).toEqual([signalId(3)]);
    expect((await read(`as_of=${at(20)}&chain=solana`)).ids).toEqual([]);
    expect((await read(`as_of=${at(20)}&chain=ethereum&status=dead`)).ids).toEqual([signalId(2)]);
  });

  it('a list does not end where the observations of a signal are lost', async () => {
    for (let signal = 1; signal <= 5; signal++) await record(signal, { signal, rev: 1, mcap: 1_000 });
    await mongo()
      .collection(observationsCollection)
      .deleteMany({ _id: `${signalId(4)}:000001` as never });
    setClock(60);
    const answer = await get(`/v1/signals?as_of=${at(50)}&limit=2`);
    const { data, meta } = listSchema(signalListItemSchema).parse(answer.body);
    expect(data.map(({ id }) => id)).toEqual([signalId(5)]);
    expect(meta).toMatchObject({ total: 5, next_cursor: expect.any(String) });
  });

  it('statistics as of an instant are those of the signals known then', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    await record(10, { signal: 2, rev: 1, mcap: 3_000 });
    await record(20, { rev: 2, mcap: 2_000, status: 'winner', getsStatus: true });
    setClock(60);
    const read = async (query: string) =>
      successSchema(statisticsSchema).parse((await get(`/v1/stats?${query}`)).body).data;
    expect(await read(`as_of=${at(15)}`)).toMatchObject({
      total_signals: 2,
      winners: 0,
      avg_roi: 100,
      best_roi: 200,
      as_of: at(15),
    });
    expect(await read(`as_of=${at(20)}&type=new&include=distribution`)).toMatchObject({
      total_signals: 2,
      winners: 1,
      win_rate: 50,
      avg_roi: 150,
      distribution: { by_status: { active: 1, winner: 1 }, roi: { median: 100 } },
    });
  });

  it('the total of a list as of an instant is counted over a bounded number of signals, and says so', async () => {
    for (let signal = 1; signal <= 5; signal++)
      await record(signal, {
        signal,
        rev: 1,
        mcap: 1_000,
        ...(signal === 4 && { status: 'dead' as const, getsStatus: true }),
      });
    setClock(60);
    const store = mongoPast(mongo());
    const bounds = new Set<number>();
    const meta = async (range: number, query = '') => {
      const total: PastStore['total'] = (filter, most) => {
        bounds.add(most);
        return store.total(filter, range);
      };
      const past = { ...store, total };
      const answer = await askApp(appWith({ past }))
        .get(`/v1/signals?as_of=${at(30)}&limit=2${query}`)
        .set(identityHeader, token);
      return listSchema(signalListItemSchema).parse(answer.body).meta;
    };
    expect(await meta(3)).toMatchObject({ total: 3, total_pages: 2, total_capped: true });
    expect(await meta(3, '&status=dead')).toMatchObject({ total: 1, total_capped: true });
    expect(await meta(3, '&contract=0x4')).not.toHaveProperty('total_capped');
    expect([...bounds]).toEqual([20_000]);
    expect(await meta(5)).toEqual({
      total: 5,
      page: 1,
      per_page: 2,
      total_pages: 3,
      next_cursor: expect.any(String),
    });
  });

  it('statistics as of an instant are counted one after another for an account, and not at all once their client has gone', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    setClock(60);
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
    const server = createServer(appWith({ past: counted }));
    const url = `${await listenOnLoopback(server)}/v1/stats?as_of=${at(5)}`;
    const ask = (signal?: AbortSignal, own = token) =>
      fetch(url, { headers: { [identityHeader]: own }, ...(signal && { signal }) });
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
    await once(server, 'request');
    const others = ask(undefined, tokenOf('acct_2'));
    await eventually(() => expect([counting, begun]).toEqual([2, 2]));
    release();
    expect([(await first).status, (await third).status, (await others).status]).toEqual([200, 200, 200]);
    expect([most, begun]).toEqual([2, 3]);
    server.close();
  });

  it.each([`/v1/signals`, `/v1/signals/${signalId(1)}`, '/v1/stats'])(
    '%s refuses an instant that is too recent, wrong or missing, and names as_of',
    async (path) => {
      setClock(60);
      for (const query of [`?as_of=${at(59.5)}`, `?as_of=${at(90)}`, '?as_of=yesterday', '']) {
        expect(refusal(await get(path + query))).toMatchObject({
          status: 400,
          code: 'INVALID_REQUEST',
          details: [{ field: 'as_of' }],
        });
      }
    },
  );

  it('an answer as of an instant has an ETag, and is not sent again to whoever has it', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    setClock(60);
    for (const path of [`/v1/signals`, `/v1/signals/${signalId(1)}`, '/v1/stats']) {
      const first = await get(`${path}?as_of=${at(5)}`);
      expect(first.status).toBe(200);
      const again = await get(`${path}?as_of=${at(5)}`).set('If-None-Match', String(first.headers.etag));
      expect(again.status).toBe(304);
    }
  });

  it('who decided a status is not answered as of an instant, and the error says where it is', async () => {
    setClock(60);
    for (const path of [`/v1/signals`, `/v1/signals/${signalId(1)}`]) {
      expect(refusal(await get(`${path}?as_of=${at(5)}&include=outcome`))).toMatchObject({
        status: 400,
        details: [{ field: 'include', message: expect.stringContaining('history') }],
      });
    }
  });

  it('what could be earned is not answered as of an instant', async () => {
    setClock(60);
    for (const include of ['realizable', 'distribution,realizable']) {
      expect(refusal(await get(`/v1/stats?as_of=${at(5)}&include=${include}`))).toMatchObject({
        status: 400,
        details: [{ field: 'include', message: 'must be distribution where there is as_of' }],
      });
    }
  });
});
