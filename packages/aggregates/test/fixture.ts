import { type SignalStatus, type SignalType, signalStatuses, signalTypes } from '@sigcast/contracts';
import { connectMongo, ensureIndexes } from '@sigcast/mongo';
import { silentLogger } from '@sigcast/runtime';
import { testStack } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import {
  type AggregateSource,
  type Aggregates,
  type Dirty,
  dirtyIndex,
  type Figures,
  openAggregates,
} from '../src/index.ts';

export type Fact = {
  _id: string;
  type: SignalType;
  status: SignalStatus;
  roi: number;
  created_at: Date;
  rev: number;
  dirty?: Dirty;
};

export const source: AggregateSource = {
  collection: 'facts',
  index: 'created',
  fields: ['roi'],
  measures: [
    { sum: ({ numbers: [roi = 0] }) => roi },
    { sum: ({ status }) => (status === 'winner' ? 1 : 0) },
    { max: ({ numbers: [roi = 0] }) => roi },
  ],
};
export const startMs = Date.parse('2026-06-15T12:00:00Z');
export const dayMs = 86_400_000;
export const cells = 'aggregate_cells';
export const log = 'aggregate_log';

/** Facts of two months: a few every day, a thousand within five seconds, and 600 in one millisecond. */
export const facts = Array.from({ length: 2_200 }, (_, n): Fact => {
  const late = n < 1_600 ? (n - 600) * 5 : dayMs;
  return {
    _id: `fact_${n}`,
    type: signalTypes[n % signalTypes.length] ?? 'new',
    status: signalStatuses[n % 3] ?? 'active',
    roi: ((n * 7_919) % 5_000) - 2_500,
    created_at: new Date(n < 600 ? startMs - n * (dayMs / 10) : startMs + late),
    rev: 1,
  };
});

/** A database with an empty collection of facts, and functions that tests use. */
export async function openFixture(name: string) {
  const stack = testStack();
  const resources = new AsyncDisposableStack();
  resources.defer(() => stack[Symbol.asyncDispose]());
  const database = stack.database(name);
  const connection: Connection = await connectMongo(
    { uri: stack.mongodbUri, database },
    silentLogger(),
    resources,
  );
  const byCreation = { name: source.index, key: { created_at: 1 } };
  await ensureIndexes(connection, source.collection, [byCreation, dirtyIndex]);
  const clear = async () => {
    for (const each of [source.collection, cells, log]) await connection.collection(each).deleteMany({});
  };

  const collection = (on = connection) => on.collection<Fact>(source.collection);
  const open = (on = connection) => openAggregates(on, source);
  const refreshAll = async (aggregates: Aggregates) => {
    while (!(await aggregates.refresh()));
  };
  const insert = (items: readonly Fact[], on = connection) =>
    collection(on).insertMany(items.map((fact) => ({ ...fact, dirty: open().dirtyInsert() })));
  const change = (id: string, fields: Partial<Fact>, on = connection) =>
    collection(on).updateOne({ _id: id }, [
      { $set: { ...fields, rev: { $add: ['$rev', 1] }, dirty: open().dirtyUpdate } },
    ]);
  const stored = () => collection().find().toArray();

  const plain = (figures: Figures) => [...figures].sort(([a], [b]) => (a < b ? -1 : 1));
  const recounted = (all: readonly Fact[], after?: Date, until?: Date) => {
    const chosen = all.filter(
      (each) => (!after || each.created_at > after) && (!until || each.created_at <= until),
    );
    const byType = Map.groupBy(chosen, ({ type }) => type);
    const figures = [...byType].map(([type, group]): [SignalType, number[]] => {
      const rois = group.map(({ roi }) => roi);
      const winners = group.filter(({ status }) => status === 'winner').length;
      return [type, [group.length, rois.reduce((a, b) => a + b, 0), winners, Math.max(...rois)]];
    });
    return plain(new Map(figures));
  };
  const spans: readonly (readonly [(Date | undefined)?, (Date | undefined)?])[] = [
    [],
    ...[-40.3 * dayMs, -dayMs, -1, 0, 1, 1_500, 4_995, dayMs - 1, dayMs].flatMap((ms) => [
      [new Date(startMs + ms)] as const,
      [undefined, new Date(startMs + ms)] as const,
      [new Date(startMs - 3 * dayMs), new Date(startMs + ms)] as const,
    ]),
  ];
  /** Expects sums, and after a refresh all figures, to equal a recount for each of some spans. */
  const expectExact = async (aggregates: Aggregates, chosen = spans) => {
    const all = await stored();
    for (const [after, until] of chosen) {
      const sums = plain(await aggregates.readNow({ after, until })).map(([type, values]) => [
        type,
        values.slice(0, 3),
      ]);
      expect(sums).toEqual(recounted(all, after, until).map(([type, values]) => [type, values.slice(0, 3)]));
    }
    await refreshAll(aggregates);
    for (const [after, until] of chosen) {
      const { figures } = await aggregates.read(() => ({ after, until }));
      expect(plain(figures)).toEqual(recounted(all, after, until));
    }
  };
  /** Two spans, for tests that compare often: all time, and one that begins and ends within dense cells. */
  const few: typeof spans = [[], [new Date(startMs + 1), new Date(startMs + 1_500)]];

  return {
    connection,
    resources,
    clear,
    collection,
    open,
    refreshAll,
    insert,
    change,
    stored,
    plain,
    recounted,
    few,
    spans,
    expectExact,
  };
}

export type Fixture = Awaited<ReturnType<typeof openFixture>>;
