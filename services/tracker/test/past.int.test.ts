import { isDeepStrictEqual } from 'node:util';
import { signalDetailSchema, successSchema } from '@sigcast/contracts';
import { gatedConnection } from '@sigcast/testing';
import { describe, expect, it, vi } from 'vitest';
import { presentRevision, revisionOf } from '../src/domain/revision.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import { thinObservations } from '../src/store/thin-observations.ts';
import { createdMs, eventOf, signalId } from './events.ts';
import { useMongo } from './fixture.ts';
import { comparePastWithReplay } from './past-model.ts';
import { minutesOfDay, usePast } from './use-past.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const minuteMs = 60_000;

describe('a random past', () => {
  const mongo = useMongo();

  it('lists, details and statistics as of random instants equal a replay of what was recorded by then', async () => {
    await comparePastWithReplay(mongo(), { numRuns: 25, instants: 10 });
  });
});

describe('the past', () => {
  const { mongo, now, setClock, revisions, at, get, record } = usePast();
  const detail = async (minutes: number) => {
    const answer = await get(`/v1/signals/${signalId(1)}?as_of=${at(minutes)}`);
    return answer.status === 200
      ? successSchema(signalDetailSchema).parse(answer.body).data
      : (answer.body as { error: { code: string; message: string } }).error;
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
    setClock(60);
    expect(await detail(-1)).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining(at(-1)) });
    expect(await detail(9.99)).toMatchObject({
      metrics: { mcap_current: 1_000, mcap_ath: 1_000 },
      performance: { status: 'active', roi: 0 },
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
    setClock(60);
    expect(await detail(15)).toMatchObject({ metrics: { mcap_current: 3_000 } });
    expect(await detail(59)).toMatchObject({ metrics: { mcap_current: 3_000 } });
  });

  it('an answer as of an instant stays the same when events come again and when a backfill runs', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    setClock(10);
    const state = eventOf({ signal: 1, rev: 2, atMs: now().getTime(), mcap: 2_000 });
    await revisions().recordStates([presentRevision({ rev: 2, signal: state.data })]);
    setClock(60);
    const before = [await detail(5), await detail(15)];
    expect(before).toMatchObject([
      { metrics: { mcap_current: 1_000 } },
      { metrics: { mcap_current: 2_000 } },
    ]);
    await record(70, { rev: 1, mcap: 1_000 });
    await revisions().record(revisionOf(state));
    await revisions().recordStates([presentRevision({ rev: 2, signal: state.data })]);
    setClock(200);
    expect([await detail(5), await detail(15)]).toEqual(before);
  });

  it('statistics as of an instant stay the same while their signals are updated', async () => {
    const signals = Array.from({ length: 60 }, (_, n) => n + 1);
    const recordAll = (rev: number) => {
      const events = signals.map((signal) =>
        eventOf({ signal, rev, atMs: now().getTime(), mcap: 1_000 * rev + signal }, createdMs + signal),
      );
      return Promise.all(events.map((event) => revisions().record(revisionOf(event))));
    };
    setClock(1);
    await recordAll(1);
    setClock(60);
    const read = async () => (await get(`/v1/stats?as_of=${at(5)}&include=distribution`)).body as unknown;
    const first = await read();
    expect(first).toMatchObject({ data: { total_signals: 60, avg_roi: 3.05, best_roi: 6 } });
    let isRead = false;
    const updates = (async () => {
      for (let rev = 2; !isRead; rev++) await recordAll(rev);
    })();
    const answers: unknown[] = [];
    while (answers.length < 4) answers.push(await read());
    isRead = true;
    await updates;
    expect(answers.filter((answer) => !isDeepStrictEqual(answer, first))).toEqual([]);
  });

  it('what a killed process had not finished is known from when it is finished, since nobody was shown it before', async () => {
    await record(0, { rev: 1, mcap: 1_000 });
    setClock(10);
    const event = eventOf({
      signal: 1,
      rev: 2,
      atMs: now().getTime(),
      mcap: 5_000,
      status: 'winner',
      getsStatus: true,
    });
    let operations = 0;
    const killed = gatedConnection(mongo(), async (moment) =>
      moment === 'before' && ++operations === 2 ? 'die' : 'go on',
    );
    await expect(mongoRevisions(killed, now).record(revisionOf(event))).rejects.toThrow();
    setClock(30);
    const shown = await detail(15);
    expect(shown).toMatchObject({ metrics: { mcap_current: 1_000 }, performance: { status: 'active' } });
    await revisions().record(revisionOf(event));
    setClock(60);
    expect(await detail(15)).toEqual(shown);
    expect(await detail(30)).toMatchObject({ performance: { status: 'winner', roi: 400 } });
  });

  it('thinning leaves what was known first, and all-time highs that came late, as they were', async () => {
    await record(10, { rev: 2, mcap: 2_000, mcapAth: 9_000 });
    await record(12, { rev: 1, mcap: 1_000 });
    await record(20, { rev: 4, mcap: 1_500, mcapAth: 9_500 });
    await record(21, { rev: 5, mcap: 1_400, mcapAth: 9_500 });
    await record(22, { rev: 3, mcap: 9_500, mcapAth: 9_500 });
    for (let rev = 6; rev < 12; rev++) await record(20 + rev, { rev, mcap: 1_000, mcapAth: 9_500 });
    setClock(40 * minutesOfDay);
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
    setClock(40 * minutesOfDay);
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
});
