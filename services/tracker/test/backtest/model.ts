import {
  type BacktestParameters,
  createBacktestSchema,
  type SignalEvent,
  signalTypes,
} from '@sigcast/contracts';
import type { Fate } from '@sigcast/testing';
import fc from 'fast-check';
import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import { toParameters } from '../../src/domain/backtest/parameters.ts';
import type { Found } from '../../src/domain/backtest/result.ts';
import { runBacktest } from '../../src/domain/backtest/run-backtest.ts';
import { getPastSignal } from '../../src/domain/past.ts';
import { revisionOf } from '../../src/domain/revision.ts';
import { mongoBacktestHistory } from '../../src/store/mongo-backtest-history.ts';
import { mongoPast } from '../../src/store/mongo-past.ts';
import { mongoRevisions } from '../../src/store/mongo-revisions.ts';
import { type ObservationDocument, observationsCollection } from '../../src/store/observation-document.ts';
import { trackedCollection } from '../../src/store/tracked-document.ts';
import { createdMs, signalId } from '../events.ts';
import { fatedConnection, type Generated, throwUnlessKilled } from '../kills.ts';
import { lifeOf } from '../lives.ts';
import { type Labelled, labelTrade, type Shown } from './label.ts';

const signals = [1, 2, 3, 4];
const minuteMs = 60_000;
const hourlyBefore = new Date(createdMs - 86_400_000);

/** Lives of some signals of several types, premium or not. Some of their changes are of the status alone. */
const lives = fc.tuple(
  ...signals.map((signal) =>
    fc
      .record({
        events: lifeOf(signal, 12),
        type: fc.constantFrom(...signalTypes),
        is_premium: fc.boolean(),
        /** 0: the change is of the status alone; 1: the market has fallen. */
        changes: fc.array(fc.nat(2), { minLength: 26, maxLength: 26 }),
      })
      .map(({ events, type, is_premium, changes }) =>
        changed(events, changes).map((event) => ({ ...event, data: { ...event.data, type, is_premium } })),
      ),
  ),
);

/** The same events, some of which have the figures of the one before, and some a lower market cap. */
function changed(events: readonly SignalEvent[], changes: readonly number[]): readonly SignalEvent[] {
  const made: SignalEvent[] = [];
  for (const [n, event] of events.entries()) {
    const before = made.at(-1);
    const { metrics } = event.data;
    if (before !== undefined && changes[n] === 0) {
      const observed_at = before.change?.observed_at ?? before.occurred_at;
      const change = { ...(event.change ?? { source: 'producer' as const }), observed_at };
      made.push({ ...event, data: { ...event.data, metrics: before.data.metrics }, change });
    } else if (before !== undefined && changes[n] === 1) {
      const mcap_current = metrics.mcap_current / 8;
      made.push({ ...event, data: { ...event.data, metrics: { ...metrics, mcap_current } } });
    } else made.push(event);
  }
  return made;
}

/** How late events come, which come twice, and where the process is killed. */
const delivery = fc.record({
  lateMs: fc.array(
    fc.oneof({ weight: 4, arbitrary: fc.nat(2_000) }, { weight: 1, arbitrary: fc.nat(40 * minuteMs) }),
    { minLength: 220, maxLength: 220 },
  ),
  twice: fc.array(fc.boolean(), { minLength: 110, maxLength: 110 }),
  fates: fc.array(fc.constantFrom<Fate>('go on', 'go on', 'go on', 'die', 'die halfway'), { maxLength: 8 }),
});

const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const strategy = fc.record({
  types: rarely(fc.subarray([...signalTypes], { minLength: 3 })),
  is_premium: rarely(fc.boolean()),
  min_mcap: rarely(fc.constantFrom(0, 500, 1_000)),
  max_mcap: rarely(fc.constantFrom(1_000, 3_000)),
  min_liquidity: rarely(fc.constantFrom(100, 500)),
  min_volume_24h: rarely(fc.constantFrom(5, 12)),
  min_holders: rarely(fc.constantFrom(10, 22)),
  delay_minutes: fc.constantFrom(0, 1, 1, 10, 60),
  size_usd: fc.constantFrom(1, 100, 12_345.67),
  target: fc.constantFrom(null, 1.2, 2, 3),
  stop: fc.constantFrom(null, 0.3, 0.5, 0.9),
  hold_hours: fc.constantFrom(1, 2, 168),
  fee_percent: fc.constantFrom(0, 1, 2.5),
  price_impact: fc.boolean(),
  /** As of which part of the time of all events. */
  part: fc.double({ min: 0.05, max: 1.1, noNaN: true }),
});

/**
 * Compares backtests with a second implementation. That one knows of each signal only what is answered as of each instant,
 * as a client would. Then everything that was known later is removed, and the result must be the same.
 */
export async function compareBacktests(
  connection: Connection,
  { numRuns, seed }: { readonly numRuns: number; readonly seed?: number },
): Promise<{ readonly ends: ReadonlyMap<string, number> }> {
  const ends = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      lives,
      delivery,
      fc.array(strategy, { minLength: 3, maxLength: 3 }),
      async (all, how, tried) => {
        for (const name of [observationsCollection, trackedCollection])
          await connection.collection(name).deleteMany({});
        const endMs = await deliver(connection, all.flat(), how);
        const runs: Run[] = [];
        for (const each of tried) {
          const parameters = parametersFor(each, endMs);
          const made = { parameters, ...(await run(connection, parameters)) };
          await compare(connection, all, made);
          for (const [end, count] of Object.entries({ ...made.result.by_exit, ...made.result.not_bought }))
            ends.set(end, (ends.get(end) ?? 0) + count);
          runs.push(made);
          await compareWithLater(connection, made, endMs);
        }
        // The latest instant first, since everything that is later than an instant is removed.
        for (const { parameters, ...found } of runs.toSorted((a, b) =>
          a.parameters.as_of < b.parameters.as_of ? 1 : -1,
        )) {
          await removeLater(connection, new Date(parameters.as_of));
          expect(await run(connection, parameters)).toEqual(found);
        }
      },
    ),
    { numRuns, endOnFailure: true, ...(seed !== undefined && { seed }) },
  );
  return { ends };
}

/** A backtest that was computed. */
type Run = Found & { readonly parameters: BacktestParameters };

function run(connection: Connection, parameters: BacktestParameters): Promise<Found> {
  const deps = { hourlyBefore: () => hourlyBefore, progress: async () => undefined };
  return runBacktest(mongoBacktestHistory(connection), parameters, deps);
}

function parametersFor(
  { part, types, is_premium, ...rest }: Generated<typeof strategy>,
  endMs: number,
): BacktestParameters {
  const { min_mcap, max_mcap, min_liquidity, min_volume_24h, min_holders, fee_percent, price_impact } = rest;
  const body = createBacktestSchema.parse({
    filters: {
      since: new Date(createdMs - 1).toISOString(),
      types,
      is_premium,
      min_mcap,
      max_mcap,
      min_liquidity,
      min_volume_24h,
      min_holders,
    },
    delay_minutes: rest.delay_minutes,
    size_usd: rest.size_usd,
    target: rest.target,
    stop: rest.stop,
    hold_hours: rest.hold_hours,
    costs: { fee_percent, price_impact },
    as_of: new Date(Math.round(createdMs + part * (endMs - createdMs))).toISOString(),
  });
  return toParameters(body, new Date(endMs + 10 * 86_400_000));
}

/** Has the events recorded, each some time after it happened. @returns the instant after the last one. */
async function deliver(
  connection: Connection,
  events: readonly SignalEvent[],
  how: Generated<typeof delivery>,
): Promise<number> {
  let nowMs = createdMs;
  const revisions = mongoRevisions(fatedConnection(connection, how.fates), () => new Date(nowMs));
  const queue = [...events, ...events.filter((_, n) => how.twice[n])]
    .map((event, n) => ({ event, atMs: Date.parse(event.occurred_at) + (how.lateMs[n] ?? 0) }))
    .sort((one, other) => one.atMs - other.atMs);
  for (const { event, atMs } of queue) {
    nowMs = Math.max(nowMs, atMs);
    for (let isRecorded = false; !isRecorded; nowMs += 1) {
      isRecorded = await revisions.record(revisionOf(event)).then(
        () => true,
        (error: unknown) => {
          throwUnlessKilled(error);
          return false;
        },
      );
    }
  }
  return nowMs + 1;
}

/** What a client would have been shown of a signal who asked at each instant. */
async function shownOf(connection: Connection, signal: number, asOf: Date): Promise<readonly Shown[]> {
  const rows = await connection
    .collection<ObservationDocument>(observationsCollection)
    .find({ _id: { $gt: `${signalId(signal)}:`, $lt: `${signalId(signal)};` } })
    .sort({ _id: 1 })
    .toArray();
  const instants = [...new Set(rows.map(({ known_at }) => known_at.getTime()))].sort((a, b) => a - b);
  const shown: Shown[] = [];
  for (const t of instants.filter((each) => each <= asOf.getTime())) {
    const detail = await getPastSignal(mongoPast(connection), signalId(signal), new Date(t));
    const newest = rows.findLast(({ known_at }) => known_at.getTime() <= t);
    const { mcap_current: mcap, liquidity, volume_24h: volume, holders } = detail.metrics;
    shown.push({
      t,
      observed: newest?.at.getTime() ?? 0,
      mcap,
      liquidity,
      volume,
      holders,
      isOver: ['dead', 'rugged'].includes(detail.performance.status),
    });
  }
  return shown;
}

async function compare(
  connection: Connection,
  all: readonly (readonly SignalEvent[])[],
  { parameters, result, trades: found }: Run,
): Promise<void> {
  const { filters, size_usd } = parameters;
  const asOf = new Date(parameters.as_of);
  const labelled: { readonly id: string; readonly label: Labelled }[] = [];
  for (const [n, signal] of signals.entries()) {
    const { type, is_premium } = all[n]?.[0]?.data ?? {};
    if (type === undefined || !filters.types.includes(type)) continue;
    if (filters.is_premium !== null && filters.is_premium !== is_premium) continue;
    const shown = await shownOf(connection, signal, asOf);
    if (shown.length > 0)
      labelled.push({ id: signalId(signal), label: labelTrade(parameters, createdMs, shown) });
  }
  const trades = labelled.flatMap(({ id, label }) => (label.kind === 'trade' ? [{ id, ...label }] : []));
  const of = (kind: string) => labelled.filter(({ label }) => label.kind === kind).length;
  const ended = (kind: string) => trades.filter(({ exit }) => (exit?.kind ?? 'open') === kind).length;
  expect(result).toMatchObject({
    signals: labelled.length,
    not_bought: { no_entry: of('no_entry'), filtered: of('filtered') },
    trades: trades.length,
    by_exit: { open: ended('open'), target: ended('target'), stop: ended('stop'), end: ended('end') },
  });
  // Each result is rounded to a hundredth of a percent, the profit to a cent.
  const tolerance = trades.length * size_usd * 0.00005 + 0.006;
  const rois = trades.map(({ roiAt }) => roiAt(asOf.getTime()) ?? Number.NaN);
  const profit = (rois.reduce((sum, roi) => sum + roi, 0) * size_usd) / 100;
  expect(Math.abs(result.profit_usd - profit)).toBeLessThanOrEqual(tolerance);
  expect(found).toHaveLength(trades.length);
  expect(result.histogram.reduce((sum, bar) => sum + bar.trades, 0)).toBe(trades.length);
  for (const { id, enteredAt, exit, roiAt } of trades) {
    const named = found.find(({ signal_id }) => signal_id === id);
    expect(named).toMatchObject({
      entered_at: new Date(enteredAt).toISOString(),
      exited_at: exit ? new Date(exit.at).toISOString() : null,
      exit: exit?.kind ?? null,
    });
    expect(Math.abs((named?.roi ?? Number.NaN) - (roiAt(asOf.getTime()) ?? Number.NaN))).toBeLessThan(0.0051);
  }
  const openAt = (t: number) =>
    trades.filter(({ enteredAt, exit }) => enteredAt <= t && (exit === undefined || exit.at > t)).length;
  for (const { at, profit_usd, open } of result.equity.points) {
    const t = Date.parse(at);
    const then = trades.reduce((sum, { roiAt }) => sum + (roiAt(t) ?? 0), 0);
    expect(Math.abs(profit_usd - (then * size_usd) / 100)).toBeLessThanOrEqual(tolerance);
    expect(open).toBe(openAt(t));
  }
  if (trades.length > 0) expect(result.equity.points.at(-1)?.profit_usd).toBe(result.profit_usd);
  expect(result.max_open).toBe(Math.max(0, ...trades.map(({ enteredAt }) => openAt(enteredAt))));
}

/** As of a later instant, trades and points of the curve that were before are the same. */
async function compareWithLater(
  connection: Connection,
  { parameters, result, trades }: Run,
  endMs: number,
): Promise<void> {
  const { as_of } = parameters;
  const later = await run(connection, { ...parameters, as_of: new Date(endMs + 86_400_000).toISOString() });
  const points = new Map(later.result.equity.points.map((point) => [point.at, point]));
  // A longer curve may have its points further apart, so that a fall since the point before is of a longer time.
  const isAsDense = later.result.equity.interval_minutes === result.equity.interval_minutes;
  for (const point of result.equity.points) {
    // The last point may be at `as_of`, between two minutes, where the later curve has none.
    if (!points.has(point.at) || point.at >= as_of) continue;
    const { drawdown_usd, ...rest } = point;
    expect(points.get(point.at)).toMatchObject({ ...rest, ...(isAsDense && { drawdown_usd }) });
  }
  const laterTrades = new Map(later.trades.map((trade) => [trade.signal_id, trade]));
  for (const trade of trades) {
    const same = laterTrades.get(trade.signal_id);
    expect(same).toMatchObject({ entered_at: trade.entered_at, ...(trade.exit !== null && trade) });
  }
}

/** Removes everything that became known after an instant. */
async function removeLater(connection: Connection, asOf: Date): Promise<void> {
  for (const name of [observationsCollection, trackedCollection]) {
    const collection = connection.collection<{ _id: string; known_at: Date }>(name);
    const later = (await collection.find().toArray()).filter(({ known_at }) => known_at > asOf);
    await collection.deleteMany({ _id: { $in: later.map(({ _id }) => _id) } });
  }
  const tracked = connection.collection(trackedCollection);
  for (const status of ['winner', 'dead', 'rugged'])
    await tracked.updateMany(
      { [`status_known_at.${status}`]: { $gt: asOf } },
      { $unset: { [`status_known_at.${status}`]: '' } },
    );
}
