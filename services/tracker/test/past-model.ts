import {
  periods,
  type SignalDetail,
  type SignalEvent,
  type SignalStatus,
  signalStatuses,
  signalTypes,
  toListItem,
} from '@sigcast/contracts';
import type { Fate } from '@sigcast/testing';
import fc from 'fast-check';
import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import { getPastSignal, getPastStatistics, listPastSignals, toDetail } from '../src/domain/past.ts';
import { presentRevision, revisionOf } from '../src/domain/revision.ts';
import { mongoPast } from '../src/store/mongo-past.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import { observationId, observationsCollection } from '../src/store/observation-document.ts';
import { trackedCollection } from '../src/store/tracked-document.ts';
import { createdMs, entry, signalId } from './events.ts';
import { fatedConnection, type Generated, throwUnlessKilled } from './kills.ts';
import { lifeOf } from './lives.ts';

const signals = [1, 2, 3, 4];
const startMs = createdMs + 40 * 86_400_000;

/** Lives of some signals, as events: of several types, created days apart, some at the same instant. */
const lives = fc.tuple(
  ...signals.map((signal) =>
    fc
      .record({
        events: lifeOf(signal, 8),
        type: fc.constantFrom(...signalTypes),
        daysAgo: fc.constantFrom(0, 0, 1, 8, 35),
        symbol: fc.constantFrom('AAA', 'aaa', 'BBB'),
      })
      .map(({ events, type, daysAgo, symbol }) =>
        events.map((event) => lived(event, { type, daysAgo, symbol })),
      ),
  ),
);

/** An event with the figures that a signals service would publish, of a signal of a given kind and age. */
function lived(
  event: SignalEvent,
  { type, daysAgo, symbol }: { type: SignalDetail['type']; daysAgo: number; symbol: string },
): SignalEvent {
  const { data } = event;
  // Every entry is 1,000 dollars, so percentages have one decimal.
  const percent = (mcap: number) => Math.round(((mcap - entry.mcap) * 1_000) / entry.mcap) / 10 + 0;
  return {
    ...event,
    data: {
      ...data,
      type,
      token: { ...data.token, symbol },
      performance: {
        ...data.performance,
        roi: percent(data.metrics.mcap_current),
        ath_roi: percent(data.metrics.mcap_ath),
      },
      created_at: new Date(startMs - daysAgo * 86_400_000).toISOString(),
    },
  };
}

/** In what order events come, which come twice, how many at once, how long after each other, and where the process is killed. */
const delivery = fc.record({
  order: fc.array(fc.nat(60), { minLength: 220, maxLength: 220 }),
  twice: fc.array(fc.boolean(), { minLength: 110, maxLength: 110 }),
  states: fc.array(fc.nat(9), { minLength: 110, maxLength: 110 }),
  batch: fc.integer({ min: 1, max: 30 }),
  // From moments to days, so that histories lie over several days.
  pausesMs: fc.array(fc.oneof(fc.nat(1_000), fc.nat(20 * 3_600_000)), { minLength: 20, maxLength: 20 }),
  fates: fc.oneof(
    fc.constant<Fate[]>([]),
    fc.array(fc.constantFrom<Fate>('go on', 'go on', 'go on', 'die', 'die halfway'), { maxLength: 12 }),
  ),
});

/** Mostly undefined, so that several filters together still leave signals. */
function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

const question = fc.record({
  /** The instant: some part of the whole time, or close to the instant at which something was recorded. */
  at: fc.oneof(
    fc.record({ part: fc.double({ min: -0.1, max: 1.1, noNaN: true }) }),
    fc.record({ nth: fc.nat(200), offMs: fc.constantFrom(-1, 0, 1) }),
  ),
  type: rarely(fc.subarray([...signalTypes], { minLength: 1 })),
  status: fc.option(fc.subarray([...signalStatuses], { minLength: 1 }), { nil: undefined }),
  symbol: rarely(fc.constantFrom('aaa', 'BBB')),
  contract: rarely(fc.constantFrom('0x1', '0x3')),
  sinceDays: rarely(fc.constantFrom(1, 9)),
  untilDays: rarely(fc.constantFrom(0, 1)),
  limit: fc.constantFrom(1, 2, 20),
  period: fc.constantFrom(...periods),
});

/**
 * Compares what is answered as of random instants with a replay: of each signal the event of the highest revision that had
 * been recorded by then.
 *
 * @param numRuns how many histories, each of some signals. @param instants of each history.
 */
export async function comparePastWithReplay(
  connection: Connection,
  {
    numRuns,
    instants,
    seed,
  }: { readonly numRuns: number; readonly instants: number; readonly seed?: number },
): Promise<void> {
  const questions = fc.array(question, { minLength: instants, maxLength: instants });
  await fc.assert(
    fc.asyncProperty(lives, delivery, questions, async (all, how, asked) => {
      for (const name of [observationsCollection, trackedCollection])
        await connection.collection(name).deleteMany({});
      const early: { readonly asOf: Date; readonly answers: unknown }[] = [];
      const halfway = async (nowMs: number) => {
        // What a killed process had not finished becomes known later, so only runs without kills are asked twice.
        if (how.fates.length > 0) return;
        for (const part of [0.2, 0.5, 0.9]) {
          const asOf = new Date(Math.min(nowMs - 1, Math.round(startMs + part * (nowMs - startMs))));
          early.push({ asOf, answers: await answersAt(connection, asOf) });
        }
      };
      const { endMs, bounds } = await deliver(connection, all.flat(), { ...how, halfway });
      for (const { asOf, answers } of early) expect(await answersAt(connection, asOf)).toEqual(answers);
      const known = await knownInstants(connection);
      expect(known.size).toBe(bounds.size);
      for (const [id, knownMs] of known) {
        const { fromMs, untilMs } = bounds.get(id) ?? { fromMs: 0, untilMs: -1 };
        expect(knownMs).toBeGreaterThanOrEqual(fromMs);
        expect(knownMs).toBeLessThanOrEqual(untilMs);
      }
      const instants = [...known.values()];
      for (const each of asked) {
        const { at } = each;
        const asOf = new Date(
          'part' in at
            ? Math.round(startMs + at.part * (endMs - startMs))
            : (instants[at.nth % instants.length] ?? endMs) + at.offMs,
        );
        await compareAt(connection, replay(all, known, asOf), { ...each, asOf });
      }
    }),
    { numRuns, endOnFailure: true, ...(seed !== undefined && { seed }) },
  );
}

/** Everything that is answered as of an instant. */
async function answersAt(connection: Connection, asOf: Date): Promise<unknown> {
  const store = mongoPast(connection);
  return [
    await listPastSignals(store, { as_of: asOf, limit: 20 }),
    await getPastStatistics(store, { period: 'all', as_of: asOf, include: ['distribution'] }),
  ];
}

/** Between which instants a revision is recorded: the first try, and the first one that succeeds. */
type Bounds = { readonly fromMs: number; untilMs: number };

/**
 * Has the events recorded. Calls `halfway` when about half of them are.
 * @returns the instant after the last one, and between which instants each revision was recorded.
 */
async function deliver(
  connection: Connection,
  events: readonly SignalEvent[],
  how: Generated<typeof delivery> & { readonly halfway: (nowMs: number) => Promise<void> },
): Promise<{ readonly endMs: number; readonly bounds: ReadonlyMap<string, Bounds> }> {
  let nowMs = startMs;
  let pauses = 0;
  const tick = () => {
    nowMs += how.pausesMs[pauses++ % how.pausesMs.length] ?? 0;
    return new Date(nowMs);
  };
  const bounds = new Map<string, Bounds>();
  const begin = ({ rev, data }: SignalEvent) => {
    const id = observationId(data.id, rev);
    const known = bounds.get(id) ?? { fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY };
    bounds.set(id, known);
    return known;
  };
  const revisions = mongoRevisions(fatedConnection(connection, how.fates), tick);
  const queue = [...events, ...events.filter((_, n) => how.twice[n])]
    .map((event, n) => ({ event, place: n / 2 + (how.order[n] ?? 0) }))
    .sort((one, other) => one.place - other.place)
    .map(({ event }) => event);
  for (const event of events.filter((_, n) => how.states[n] === 0)) {
    begin(event);
    const { rev, data } = event;
    await revisions.recordStates([presentRevision({ rev, signal: data })]).catch(throwUnlessKilled);
  }
  const half = queue.length / 2;
  let isHalfway = false;
  while (queue.length > 0) {
    const batch = queue.splice(0, how.batch);
    const tried = batch.map(begin);
    const results = await Promise.allSettled(batch.map((event) => revisions.record(revisionOf(event))));
    const again = batch.filter((_, n) => {
      const [result, known] = [results[n], tried[n]];
      if (result?.status === 'rejected') throwUnlessKilled(result.reason);
      else if (known) known.untilMs = Math.min(known.untilMs, nowMs);
      return result?.status === 'rejected';
    });
    queue.unshift(...again);
    if (isHalfway || queue.length > half) continue;
    isHalfway = true;
    await how.halfway(nowMs);
  }
  return { endMs: nowMs + 1, bounds };
}

/** When each revision was recorded first, by the id of its observation. */
async function knownInstants(connection: Connection): Promise<ReadonlyMap<string, number>> {
  const rows = await connection
    .collection<{ _id: string; known_at: Date }>(observationsCollection)
    .find()
    .toArray();
  return new Map(rows.map(({ _id, known_at }) => [_id, known_at.getTime()]));
}

/** The signals as they were known, newest first. */
function replay(
  all: readonly (readonly SignalEvent[])[],
  known: ReadonlyMap<string, number>,
  asOf: Date,
): readonly SignalDetail[] {
  const isKnown = ({ rev, data }: SignalEvent) =>
    (known.get(observationId(data.id, rev)) ?? Number.POSITIVE_INFINITY) <= asOf.getTime();
  return all
    .flatMap((events) => events.filter(isKnown).at(-1)?.data ?? [])
    .sort((a, b) =>
      a.created_at === b.created_at ? (a.id < b.id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1,
    );
}

async function compareAt(
  connection: Connection,
  expected: readonly SignalDetail[],
  asked: Generated<typeof question> & { readonly asOf: Date },
): Promise<void> {
  const { asOf, type, status, symbol, contract, sinceDays, untilDays, limit, period } = asked;
  const store = mongoPast(connection);
  for (const signal of signals.map(signalId)) {
    const found = await getPastSignal(store, signal, asOf).catch(({ code }: { code?: string }) => code);
    expect(found).toEqual(expected.find(({ id }) => id === signal) ?? 'NOT_FOUND');
  }

  const daysAgo = (days: number | undefined) =>
    days === undefined ? undefined : new Date(startMs - days * 86_400_000);
  const [since, until] = [daysAgo(sinceDays), daysAgo(untilDays)];
  const listed = expected.filter(
    (signal) =>
      (type?.includes(signal.type) ?? true) &&
      (status?.includes(signal.performance.status) ?? true) &&
      (symbol === undefined || signal.token.symbol.toUpperCase() === symbol.toUpperCase()) &&
      (contract === undefined || signal.token.contract === contract) &&
      (since === undefined || new Date(signal.created_at) > since) &&
      (until === undefined || new Date(signal.created_at) <= until),
  );
  const found: SignalDetail[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await listPastSignals(store, {
      as_of: asOf,
      type,
      status,
      symbol,
      contract,
      since,
      until,
      limit,
      cursor,
    });
    expect(page.total).toBe(listed.length);
    found.push(...page.entries.flatMap(({ signal }) => (signal ? toDetail(signal) : [])));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  expect(found.map(toListItem)).toEqual(listed.map(toListItem));

  const figures = await getPastStatistics(store, {
    period,
    type: type?.[0],
    as_of: asOf,
    include: ['distribution'],
  });
  const lengthMs = {
    '24h': 86_400_000,
    '7d': 7 * 86_400_000,
    '30d': 30 * 86_400_000,
    all: Number.POSITIVE_INFINITY,
  };
  const counted = expected.filter(
    (signal) =>
      asOf.getTime() - Date.parse(signal.created_at) < lengthMs[period] &&
      [undefined, signal.type].includes(type?.[0]),
  );
  const of = (wanted: SignalStatus) =>
    counted.filter(({ performance }) => performance.status === wanted).length;
  const rois = counted.map(({ performance }) => performance.roi);
  expect(figures).toMatchObject({
    total_signals: counted.length,
    winners: of('winner'),
    best_roi: counted.length === 0 ? 0 : Math.max(...rois),
    distribution: {
      by_status: Object.fromEntries(signalStatuses.map((each) => [each, of(each)])),
      ath_signals: counted.length,
    },
    as_of: asOf.toISOString(),
  });
  const mean = rois.reduce((sum, roi) => sum + roi, 0) / Math.max(1, rois.length);
  expect(figures.avg_roi).toBeCloseTo(mean, 1);
}
