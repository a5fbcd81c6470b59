import { type SignalHistoryQuery, signalHistoryQuerySchema } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { getHistory } from '../src/domain/history.ts';
import { historyRange } from '../src/domain/history-range.ts';
import type { HistoryObservation, HistoryStore, SignalSummary } from '../src/domain/ports.ts';

const created = new Date('2026-03-01T12:00:30Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const later = (ms: number) => new Date(created.getTime() + ms);
const query = (given: Record<string, string> = {}): SignalHistoryQuery =>
  signalHistoryQuerySchema.parse(given);
const rangeOf = (given: Record<string, string>, now: Date) =>
  historyRange(query(given), { createdAt: created, now });

describe('the range of a history', () => {
  it('goes from the signal’s creation up to now, in the finest buckets of which there are at most 500', () => {
    const resolutionAfter = (ms: number) => rangeOf({}, later(ms)).resolution;
    expect(rangeOf({}, later(hourMs))).toEqual({
      from: created,
      until: later(hourMs),
      resolution: '1m',
      widthMs: minuteMs,
    });
    // 12:00:30 and 499 minutes: the buckets of 12:00 up to 20:19.
    expect(resolutionAfter(499 * minuteMs)).toBe('1m');
    expect(resolutionAfter(499 * minuteMs + 29_999)).toBe('1m');
    expect(resolutionAfter(499 * minuteMs + 30_000)).toBe('5m');
    expect(resolutionAfter(499 * 5 * minuteMs)).toBe('5m');
    expect(resolutionAfter(500 * 5 * minuteMs)).toBe('1h');
    expect(resolutionAfter(499 * hourMs)).toBe('1h');
    expect(resolutionAfter(500 * hourMs)).toBe('1d');
    expect(resolutionAfter(499 * dayMs)).toBe('1d');
    expect(resolutionAfter(500 * dayMs)).toBe('1w');
  });

  it('needs no resolution for a signal that is years old, whatever the range', () => {
    const now = later(17 * 365 * dayMs);
    const widest = { from: '1970-01-01', until: '2100-01-01' };
    for (const given of [{}, { from: '2026-03-01' }, widest]) {
      expect(rangeOf(given, now)).toMatchObject({ resolution: '1w', widthMs: 7 * dayMs });
    }
  });

  it('has at most 1,000 buckets; otherwise it is refused, and the refusal names `resolution`', () => {
    expect(rangeOf({ resolution: '1m' }, later(999 * minuteMs)).resolution).toBe('1m');
    const refusal = (given: Record<string, string>, now: Date) => {
      try {
        return rangeOf(given, now);
      } catch (error) {
        return error;
      }
    };
    expect(refusal({ resolution: '1m' }, later(1_000 * minuteMs))).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [
        {
          field: 'resolution',
          message:
            'must be coarser; or bring from and until closer together: there are 1001 buckets, and an answer has at most 1000',
        },
      ],
    });
    expect(refusal({ resolution: '1d' }, later(1_000 * dayMs))).toMatchObject({
      details: [{ field: 'resolution' }],
    });
  });

  it('is refused when it ends before it begins, naming the parameter that is wrong', () => {
    const now = later(hourMs);
    expect(() => rangeOf({ from: '2026-03-02', until: '2026-03-01' }, now)).toThrow(
      'from must not be after until',
    );
    expect(() => rangeOf({ from: '2027-01-01' }, now)).toThrow('from must not be after until');
    expect(() => rangeOf({ until: '2026-03-01' }, now)).toThrow(
      'until must not be before the signal was created',
    );
    expect(rangeOf({ from: created.toISOString(), until: created.toISOString() }, now).from).toEqual(created);
  });

  it('is of one instant when this process’s clock is behind the signal’s creation', () => {
    expect(rangeOf({}, later(-5_000))).toMatchObject({ from: created, until: created });
  });
});

const observation = (
  ms: number,
  mcap: number,
  more: Partial<HistoryObservation> = {},
): HistoryObservation => ({
  at: later(ms),
  recordedAt: later(ms + 100),
  mcap,
  liquidity: mcap / 2,
  source: 'producer',
  ...more,
});
const summary: SignalSummary = {
  id: 'sig_1',
  rev: 9,
  createdAt: created,
  status: 'active',
  mcapEntry: 100,
  mcapAth: 100,
  athHours: 0,
};
const storeOf = (
  observations: readonly HistoryObservation[],
  signal: SignalSummary = summary,
): HistoryStore => ({
  find: async (id) => (id === signal.id ? signal : undefined),
  observations: async function* () {
    yield* observations;
  },
});
const read = (store: HistoryStore, given: Record<string, string>, now = later(2 * hourMs)) =>
  getHistory(store, { id: 'sig_1', query: query(given), now });

describe('the history of a signal', () => {
  it('has buckets that begin at whole minutes, hours and days of UTC, and leaves empty ones out', async () => {
    const store = storeOf([
      observation(0, 100),
      observation(29_999, 140),
      observation(30_000, 120),
      observation(10 * minuteMs, 90),
    ]);
    const { buckets } = await read(store, { resolution: '1m' });
    expect(buckets).toEqual([
      {
        start: '2026-03-01T12:00:00.000Z',
        count: 2,
        mcap: { open: 100, high: 140, low: 100, close: 140 },
        liquidity: { open: 50, high: 70, low: 50, close: 70 },
      },
      {
        start: '2026-03-01T12:01:00.000Z',
        count: 1,
        mcap: { open: 120, high: 120, low: 120, close: 120 },
        liquidity: { open: 60, high: 60, low: 60, close: 60 },
      },
      {
        start: '2026-03-01T12:10:00.000Z',
        count: 1,
        mcap: { open: 90, high: 90, low: 90, close: 90 },
        liquidity: { open: 45, high: 45, low: 45, close: 45 },
      },
    ]);
    const starts = async (resolution: string) =>
      (await read(store, { resolution })).buckets.map(({ start }) => start);
    expect(await starts('5m')).toEqual(['2026-03-01T12:00:00.000Z', '2026-03-01T12:10:00.000Z']);
    expect(await starts('1h')).toEqual(['2026-03-01T12:00:00.000Z']);
    expect(await starts('1d')).toEqual(['2026-03-01T00:00:00.000Z']);
  });

  it('includes observations at `from` and at `until`, and none outside, while the all-time high and the changes are those of all time', async () => {
    const evidence = { rule: 'v1', observations: [later(minuteMs), later(11 * minuteMs)] };
    const store = storeOf(
      [
        observation(0, 100, { status: 'active' }),
        observation(minuteMs, 300),
        observation(2 * minuteMs, 300),
        observation(3 * minuteMs, 200),
        observation(4 * minuteMs, 150, { status: 'winner', source: 'tracker', evidence }),
        observation(5 * minuteMs, 1, { status: 'rugged' }),
      ],
      { ...summary, status: 'rugged', mcapAth: 300, athHours: 0.02 },
    );
    const history = await read(store, {
      from: later(2 * minuteMs).toISOString(),
      until: later(4 * minuteMs).toISOString(),
      resolution: '1h',
    });
    expect(history).toEqual({
      id: 'sig_1',
      status: 'rugged',
      resolution: '1h',
      from: later(2 * minuteMs).toISOString(),
      until: later(4 * minuteMs).toISOString(),
      entry: { at: created.toISOString(), mcap: 100 },
      ath: { at: later(minuteMs).toISOString(), mcap: 300 },
      buckets: [
        {
          start: '2026-03-01T12:00:00.000Z',
          count: 3,
          mcap: { open: 300, high: 300, low: 150, close: 150 },
          liquidity: { open: 150, high: 150, low: 75, close: 75 },
        },
      ],
      changes: [
        {
          at: later(4 * minuteMs).toISOString(),
          status: 'winner',
          decided_by: 'rule',
          rule: 'v1',
          decided_at: later(4 * minuteMs + 100).toISOString(),
          observations: evidence.observations.map((at) => at.toISOString()),
        },
        {
          at: later(5 * minuteMs).toISOString(),
          status: 'rugged',
          decided_by: 'producer',
          rule: null,
          decided_at: later(5 * minuteMs + 100).toISOString(),
          observations: [],
        },
      ],
    });
  });

  it('has the status that a producer sends as the producer’s decision, without evidence, as `outcome` has', async () => {
    const evidence = { rule: 'v1', observations: [later(minuteMs)] };
    const at = 2 * minuteMs;
    const changesBy = async (source: 'tracker' | 'producer', given?: typeof evidence) => {
      const more = { status: 'dead', source, ...(given && { evidence: given }) } as const;
      return (await read(storeOf([observation(at, 1, more)]), {})).changes;
    };
    const byProducer = {
      at: later(at).toISOString(),
      status: 'dead',
      decided_by: 'producer',
      rule: null,
      decided_at: later(at + 100).toISOString(),
      observations: [],
    };
    expect(await changesBy('producer', evidence)).toEqual([byProducer]);
    expect(await changesBy('tracker')).toEqual([byProducer]);
    const observations = evidence.observations.map((each) => each.toISOString());
    expect(await changesBy('tracker', evidence)).toEqual([
      { ...byProducer, decided_by: 'rule', rule: 'v1', observations },
    ]);
  });

  it('has the all-time high of the signals service where no observation of it was recorded', async () => {
    const store = storeOf([observation(30 * minuteMs, 90)], { ...summary, mcapAth: 700, athHours: 0.25 });
    expect((await read(store, {})).ath).toEqual({ at: later(15 * minuteMs).toISOString(), mcap: 700 });
    expect((await read(storeOf([]), {})).ath).toEqual({ at: created.toISOString(), mcap: 100 });
  });

  it('of an unknown signal is NOT_FOUND', async () => {
    const asked = getHistory(storeOf([]), { id: 'sig_2', query: query(), now: created });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is not read on when nobody waits for it any more', async () => {
    const gone = new AbortController();
    let read = 0;
    let closed = false;
    const endless: HistoryStore = {
      ...storeOf([]),
      observations: async function* () {
        try {
          for (; ; read++) {
            if (read === 5) gone.abort();
            yield { at: created, recordedAt: created, mcap: 1, liquidity: 1, source: 'tracker' };
          }
        } finally {
          closed = true;
        }
      },
    };
    const asked = getHistory(endless, { id: 'sig_1', query: query(), now: created }, gone.signal);
    await expect(asked).rejects.toThrow();
    expect([read, closed]).toEqual([5, true]);
  });
});
