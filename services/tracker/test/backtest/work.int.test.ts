import { SigcastError, unavailable } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { createBacktest, type StoredBacktest } from '../../src/domain/backtest/job.ts';
import type { BacktestHistory } from '../../src/domain/backtest/run-backtest.ts';
import { type BacktestWorkDeps, leaseMs, workOnBacktest } from '../../src/domain/backtest/work.ts';
import { revisionOf } from '../../src/domain/revision.ts';
import { backtestsCollection } from '../../src/store/backtest-document.ts';
import { mongoBacktestHistory } from '../../src/store/mongo-backtest-history.ts';
import { longestBacktestWait, mongoBacktests, mongoBacktestWork } from '../../src/store/mongo-backtests.ts';
import { mongoRevisions } from '../../src/store/mongo-revisions.ts';
import { createdMs, eventOf } from '../events.ts';
import { useMongo } from '../fixture.ts';

const minuteMs = 60_000;

describe('work on backtests', () => {
  const mongo = useMongo();
  let nowMs = 0;
  const now = () => new Date(nowMs);
  const stays = new AbortController().signal;
  beforeEach(async () => {
    await mongo().collection(backtestsCollection).deleteMany({});
    for (const signal of [1, 2, 3, 4, 5, 6]) {
      const event = eventOf({ signal, rev: 1, atMs: createdMs, mcap: 1_000 });
      await mongoRevisions(mongo(), () => new Date(createdMs)).record(revisionOf(event));
    }
    nowMs = createdMs + 60 * minuteMs;
  });

  const create = async (account = 'acct_1') => {
    nowMs += 1_000;
    const body = {
      filters: { since: new Date(createdMs - 1) },
      delay_minutes: 0,
      size_usd: 100,
      target: 2,
      stop: 0.5,
      hold_hours: 168,
      costs: { fee_percent: 1, price_impact: true },
    };
    const deps = { backtests: mongoBacktests(mongo()), history: mongoBacktestHistory(mongo()), now };
    return createBacktest(
      { account, body, idempotency: undefined },
      { ...deps, newId: () => newId('bt', nowMs) },
    );
  };
  const find = async ({ id, account }: StoredBacktest) => mongoBacktests(mongo()).find(account, id);
  const noPause = async () => undefined;
  const work = (
    history: Partial<BacktestHistory> = {},
    stopping = stays,
    more: Partial<BacktestWorkDeps> = {},
  ) =>
    workOnBacktest(
      {
        work: mongoBacktestWork(mongo()),
        history: { ...mongoBacktestHistory(mongo()), ...history },
        now,
        pause: noPause,
        ...more,
      },
      stopping,
    );
  /** A process that is killed: it never says how its work ended. */
  const die = async () => mongoBacktestWork(mongo()).lease(now(), new Date(nowMs + leaseMs));

  it('the backtest that has waited longest is next, and processes share the work', async () => {
    const [first, second, third] = [await create(), await create(), await create('acct_2')];
    const done = await Promise.all([work(), work(), work()]);
    expect(new Set(done.map((each) => each?.id))).toEqual(new Set([first.id, second.id, third.id]));
    for (const backtest of [first, second, third]) {
      expect(await find(backtest)).toMatchObject({ status: 'completed', done: 6, result: { trades: 6 } });
    }
    expect(await work()).toBeUndefined();
  });

  it('another process begins again with the backtest of a killed one, after its lease, and the result is the same', async () => {
    const backtest = await create();
    expect(await die()).toMatchObject({ id: backtest.id, tries: 1 });
    expect(await find(backtest)).toMatchObject({ status: 'running' });
    expect(await work()).toBeUndefined();
    nowMs += leaseMs;
    expect(await work()).toMatchObject({ id: backtest.id, outcome: 'finished' });
    const { result } = (await find(backtest)) ?? {};
    const again = await create();
    await work();
    expect(result).toEqual((await find(again))?.result);
  });

  it('a backtest that three processes died with has failed, and says so', async () => {
    const backtest = await create();
    for (let died = 0; died < 3; died++) {
      expect(await die()).toBeDefined();
      nowMs += leaseMs;
    }
    expect(await work()).toMatchObject({ id: backtest.id, outcome: 'finished', error: expect.any(Error) });
    expect(await find(backtest)).toMatchObject({
      status: 'failed',
      error: 'The work could not be finished. Try a shorter time or fewer types',
      result: undefined,
      finishedAt: now(),
    });
  });

  it('a process that stops gives the backtest back, and another one goes on at once', async () => {
    const backtest = await create();
    const stopping = new AbortController();
    const observations = async () => {
      stopping.abort();
      return [];
    };
    expect(await work({ observations }, stopping.signal)).toMatchObject({ outcome: 'given back' });
    expect(await find(backtest)).toMatchObject({ status: 'queued' });
    expect(await work()).toMatchObject({ id: backtest.id, outcome: 'finished' });
  });

  it('a store that is away for however long only makes a backtest late', async () => {
    const backtest = await create();
    const observations = () => Promise.reject(unavailable('The store'));
    for (let outages = 0; outages < 10; outages++) {
      expect(await work({ observations })).toMatchObject({ outcome: 'given back' });
      expect(await work({ observations })).toBeUndefined();
      nowMs += 5_000;
    }
    expect(await work()).toMatchObject({ id: backtest.id, outcome: 'finished' });
    expect(await find(backtest)).toMatchObject({ status: 'completed' });
  });

  it('an outage in which a backtest can not be given back does not count as a process that died', async () => {
    const backtest = await create();
    const observations = () => Promise.reject(unavailable('The store'));
    for (let outages = 0; outages < 6; outages++) {
      const real = mongoBacktestWork(mongo());
      let isAway = true;
      const giveBack: typeof real.giveBack = (...args) =>
        isAway ? Promise.reject(unavailable('The store')) : real.giveBack(...args);
      const pause = async () => {
        isAway = false;
        nowMs += leaseMs;
      };
      const more = { work: { ...real, giveBack }, pause };
      expect(await work({ observations }, stays, more)).toMatchObject({ outcome: 'given back' });
      expect(await mongo().collection(backtestsCollection).findOne({})).toMatchObject({
        status: 'queued',
        tries: 0,
      });
      nowMs += 5_000;
    }
    expect(await work()).toMatchObject({ id: backtest.id, outcome: 'finished' });
    expect(await find(backtest)).toMatchObject({ status: 'completed' });
  });

  it('a backtest keeps its turn when the process that works on it stops', async () => {
    const [first, second] = [await create(), await create()];
    const stopping = new AbortController();
    const observations = async () => {
      stopping.abort();
      return [];
    };
    expect(await work({ observations }, stopping.signal)).toMatchObject({ id: first.id });
    expect(await work()).toMatchObject({ id: first.id, outcome: 'finished' });
    expect(await work()).toMatchObject({ id: second.id, outcome: 'finished' });
  });

  it('a result whose work went on past midnight says from when on the history was complete at its end', async () => {
    const dayMs = 24 * 60 * minuteMs;
    const backtest = await create();
    const observations = async () => {
      nowMs = createdMs + dayMs;
      return [];
    };
    const lost = { work: { ...mongoBacktestWork(mongo()), progress: async () => true } };
    // The lease is over by then, and nobody else took the backtest.
    expect(await work({ observations }, stays, lost)).toMatchObject({ outcome: 'finished' });
    expect((await find(backtest))?.result?.hourly_before).toBe(
      new Date(Math.floor((createdMs + dayMs) / dayMs) * dayMs - 30 * dayMs).toISOString(),
    );
  });

  it('a mistake of the service ends the backtest without a word of the inside, and the next one is worked on', async () => {
    const [broken, fine] = [await create(), await create()];
    const signals = () => Promise.reject(new TypeError('x is undefined'));
    expect(await work({ signals })).toMatchObject({ id: broken.id, error: expect.any(TypeError) });
    expect(await find(broken)).toMatchObject({
      status: 'failed',
      error: 'The service made a mistake, which its operators can see. Try again later',
    });
    expect(await work()).toMatchObject({ id: fine.id, outcome: 'finished' });
  });

  it('progress is stored about once a second while the lease is renewed, and a process without the lease stores nothing', async () => {
    const backtest = await create();
    const seen: (number | undefined)[] = [];
    const observations = async () => {
      nowMs += 700;
      seen.push((await find(backtest))?.done);
      return [];
    };
    expect(await work({ observations })).toMatchObject({ outcome: 'finished' });
    expect(seen).toEqual([0, 0, 2, 2, 4, 4]);

    const other = await create();
    const slow = async () => {
      nowMs += leaseMs;
      expect(await die()).toMatchObject({ id: other.id });
      nowMs += leaseMs;
      return [];
    };
    expect(await work({ observations: slow })).toMatchObject({ outcome: 'lease lost' });
    expect(await find(other)).toMatchObject({ status: 'running', done: 0, result: undefined });
  });

  it('says how long the oldest unfinished backtest has waited, also one that is tried again and again', async () => {
    expect(await longestBacktestWait(mongo(), now())).toBe(0);
    await create();
    nowMs += 4_000;
    expect(await longestBacktestWait(mongo(), now())).toBe(4_000);
    const observations = () => Promise.reject(unavailable('The store'));
    expect(await work({ observations })).toMatchObject({ outcome: 'given back' });
    nowMs += 5_000;
    expect(await longestBacktestWait(mongo(), now())).toBe(9_000);
    await work();
    expect(await longestBacktestWait(mongo(), now())).toBe(0);
  });

  it('fails to begin where the store can not be reached', async () => {
    const lease = () => Promise.reject(unavailable('The store'));
    const deps = {
      work: { ...mongoBacktestWork(mongo()), lease },
      history: mongoBacktestHistory(mongo()),
      now,
      pause: noPause,
    };
    await expect(workOnBacktest(deps, stays)).rejects.toBeInstanceOf(SigcastError);
  });
});
