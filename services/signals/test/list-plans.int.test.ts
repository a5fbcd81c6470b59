import { type Aggregates, openAggregates } from '@sigcast/aggregates';
import { listSignalsQuerySchema, type SignalFilter, signalStatuses, signalTypes } from '@sigcast/contracts';
import { ensureIndexes, expireKeys } from '@sigcast/mongo';
import { rowsRead } from '@sigcast/testing';
import { type Connection, createConnection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSignals } from '../src/domain/list-signals.ts';
import { mongoOutbox } from '../src/store/mongo-outbox.ts';
import {
  newDocument,
  type SignalDocument,
  signalAggregates,
  signalIndexes,
  signalModel,
  signalsCollection,
} from '../src/store/signal-document.ts';
import { mongoSignalStore } from '../src/store/signal-store.ts';
import { openStack } from './fixture.ts';
import { sampleSignal } from './samples.ts';

const signals = 30_000;
/** Signals with waiting events. */
const backlog = 2_000;
const newestMs = Date.parse('2026-06-01T00:00:00Z');
const minuteMs = 60_000;
const limit = 21;

/** One signal in so many has this token. */
const tokens = 100;
/** The deepest page by number. */
const deepestSkip = 9_900;

/** One signal in so many has the rarest combination: far more than a page may read. */
const filters: readonly Omit<SignalFilter, 'createdAfter' | 'createdUntil'>[] = [
  {},
  { types: ['new'] },
  { statuses: ['rugged'] },
  { types: ['premium'], statuses: ['rugged'] },
  { types: ['new', '3d'] },
  { statuses: ['active', 'rugged'] },
  { types: ['new', 'wallet', 'premium'], statuses: ['winner'] },
  { types: ['7d'], statuses: ['winner', 'dead', 'rugged'] },
  { types: ['30d', 'premium'], statuses: ['active', 'dead'] },
  { types: signalTypes, statuses: signalStatuses },
  { symbol: 'wif' },
  { contract: '0x7' },
  { symbol: 'wif', contract: '0x7' },
];
const sinces = [undefined, new Date(newestMs - 4_000 * minuteMs)];
const cursors = [
  undefined,
  { createdAt: new Date(newestMs - 3_000 * minuteMs), id: 'sig_zzzzzzzzzzzzzzzzzzzzzzzzzz' },
];
const cases = filters.flatMap((filter) =>
  sinces.flatMap((createdAfter) => cursors.map((after) => ({ filter: { ...filter, createdAfter }, after }))),
);

/** The chain of all signals. */
const chain = 'solana';

const at = (minutes: number) => new Date(newestMs - minutes * minuteMs).toISOString();

describe('query plans', () => {
  const { stack, close } = openStack();
  let connection: Connection;
  let aggregates: Aggregates;
  const commands: Record<string, unknown>[] = [];

  beforeAll(async () => {
    connection = await createConnection(stack.mongodbUri, {
      dbName: stack.database('plans'),
      monitorCommands: true,
    }).asPromise();
    await ensureIndexes(connection, signalsCollection, signalIndexes);
    aggregates = openAggregates(connection, signalAggregates, () => new Date(newestMs));
    const signal = sampleSignal(new Date(newestMs), { chain });
    const documents = Array.from({ length: signals }, (_, n): SignalDocument => {
      const made = newDocument({ signal, event: unread }, aggregates.dirtyInsert());
      const { idempotency: _none, dirty: _dirty, relay_due_at, ...document } = made;
      return {
        ...document,
        ...(n < backlog && relay_due_at && { relay_due_at }),
        _id: `sig_${String(signals - n).padStart(26, '0')}`,
        type: signalTypes[n % 97 === 0 ? 5 : n % 5] ?? 'new',
        status: signalStatuses[n % 89 === 0 ? 3 : n % 3] ?? 'active',
        ...(n % tokens === 7 && {
          symbol_key: 'WIF',
          contract_key: '0x7',
          token: { ...document.token, contract: '0x7' },
        }),
        created_at: new Date(newestMs - n * minuteMs),
        outbox: [],
        idempotency: { key: `key_${n}`, hash: '', at: new Date(newestMs - n * minuteMs) },
      };
    });
    await connection.collection<SignalDocument>(signalsCollection).insertMany(documents);
    await aggregates.build();
    connection.getClient().on('commandStarted', ({ command }) => {
      if ('find' in command || 'aggregate' in command) commands.push(command as Record<string, unknown>);
    });
  });
  afterAll(async () => {
    await connection.close();
    await close();
  });

  /** The documents and index entries that each query of `run` reads. */
  const readsOf = async (run: () => Promise<unknown>): Promise<number[]> => {
    commands.length = 0;
    await run();
    const made = commands.splice(0);
    expect(made.length).toBeGreaterThan(0);
    const reads: number[] = [];
    for (const { lsid: _l, $db: _d, $clusterTime: _c, ...explain } of made) {
      const answer = await connection.db?.command({ explain, verbosity: 'executionStats' });
      reads.push(rowsRead(answer));
    }
    return reads;
  };
  const mostRead = async (run: () => Promise<unknown>): Promise<number> => Math.max(...(await readsOf(run)));

  const store = () => mongoSignalStore(signalModel(connection), aggregates);

  it.each(cases)(
    'the query for a page of a list reads no more than the page (%#: $filter.types $filter.statuses $filter.symbol $filter.contract $filter.createdAfter $after)',
    async ({ filter, after }) => {
      const read = await mostRead(() => store().page({ filter, after, skip: 0, limit }));
      expect(read).toBeLessThanOrEqual(limit + 1);
    },
  );

  it.each<(typeof filters)[number]>([
    { types: ['new', '3d', 'wallet'] },
    { statuses: ['active', 'winner', 'rugged'] },
    { types: ['new', '3d', '7d', '30d', 'wallet'], statuses: ['active', 'winner', 'dead'] },
  ])(
    'the query for the deepest page reads little more than the pages before it: $types $statuses',
    async (filter) => {
      const page = { skip: deepestSkip, limit };
      let found: readonly unknown[] = [];
      const reads = await readsOf(async () => {
        found = await store().page({ filter, ...page });
      });
      const branches = (filter.types?.length ?? 1) * (filter.statuses?.length ?? 1);
      const most = deepestSkip * 1.3 + branches * limit;
      expect(reads.reduce((sum, read) => sum + read, 0)).toBeLessThanOrEqual(most);
      // The same page, read as one query.
      const { types, statuses } = filter;
      const whole = await signalModel(connection)
        .find(
          { ...(types && { type: { $in: types } }), ...(statuses && { status: { $in: statuses } }) },
          { _id: 1 },
        )
        .sort({ created_at: -1, _id: -1 })
        .skip(page.skip)
        .limit(limit)
        .lean();
      expect(found.map((signal) => (signal as { id: string }).id)).toEqual(whole.map(({ _id }) => _id));
    },
  );

  it.each(sinces)(
    'the query for a total counts no more than the edge of its period: since %s',
    async (createdAfter) => {
      // A period begins within a cell of an hour. Only the signals of that cell are counted one by one.
      expect(await mostRead(() => store().count({ createdAfter }))).toBeLessThanOrEqual(201);
    },
  );

  it('the query for a total up to an instant counts only the edges of its period', async () => {
    const createdUntil = new Date(newestMs - 2_500 * minuteMs - 30_000);
    expect(await mostRead(() => store().count({ createdUntil }))).toBeLessThanOrEqual(201);
    expect(await store().count({ createdUntil })).toEqual({ total: signals - 2_501 });
  });

  it.each([
    { symbol: 'WIF' },
    { contract: '0x7' },
    { symbol: 'Wif', contract: '0x7', statuses: ['dead' as const] },
  ])('the query for the total of a token reads its signals alone: $symbol $contract', async (filter) => {
    const read = await mostRead(() => store().count(filter));
    expect(read).toBeLessThanOrEqual(signals / tokens + 1);
    expect(await store().count({ ...filter, statuses: undefined })).toEqual({
      total: signals / tokens,
      capped: false,
    });
  });

  it.each([
    [{ 'metrics.holders': { gt: 0 }, created_at: { gte: at(4_000), lt: at(0) } }, 4_000],
    [{ 'metrics.holders': { gt: 0 }, created_at: { gt: at(4_000), lte: at(0) } }, 4_000],
    [{ 'metrics.holders': { lt: 0 }, type: { eq: 'premium' }, 'performance.status': { in: ['rugged'] } }, 0],
    [{ 'metrics.holders': { gt: 0 }, 'token.contract': { eq: '0x7' } }, signals / tokens],
  ])(
    'a list with conditions reads no more signals than an index leaves of them: %j',
    async (filter, total) => {
      const query = listSignalsQuerySchema.parse({ filter: JSON.stringify(filter) });
      let found: unknown;
      const read = await mostRead(async () => {
        found = (await listSignals(store(), query)).total;
      });
      expect(found).toBe(total);
      expect(read).toBeLessThanOrEqual(Math.max(total, 201) + 1);
    },
  );

  it('conditions on few signals of a chain with many read the few', async () => {
    const rare = { type: { eq: 'premium' }, 'performance.status': { eq: 'rugged' } };
    const filter = JSON.stringify({ ...rare, 'token.chain': { eq: chain }, 'metrics.holders': { lt: 0 } });
    const read = () => listSignals(store(), listSignalsQuerySchema.parse({ filter }));
    // The first query counts the signals of the chain, up to the bound.
    const [, ...others] = await readsOf(read);
    expect(Math.max(...others)).toBeLessThanOrEqual(202);
    expect((await read()).total).toBe(0);
  });

  it.each([
    { filter: '{"metrics.holders":{"lt":0}}' },
    { filter: '{"any":[{"token.contract":{"eq":"0x7"}}]}', type: 'new,3d,7d,30d' },
    { filter: '{"metrics.holders":{"lt":0}}', chain, type: 'new,3d,7d,30d' },
  ])('conditions that had to be applied to more than 20,000 signals are refused: %j', async (query) => {
    const list = () => listSignals(store(), listSignalsQuerySchema.parse(query));
    await expect(list()).rejects.toMatchObject({ details: [{ field: 'filter' }] });
  });

  it.each([
    [{ since: at(4_000) }, 3_999],
    [{ type: 'premium', status: 'rugged', chain }, 0],
    [{ symbol: 'wif' }, signals / tokens],
  ])(
    'a list sorted by a figure reads no more signals than an index leaves of them: %j',
    async (query, least) => {
      const sorted = listSignalsQuerySchema.parse({ ...query, sort: 'roi', limit: '1' });
      let total = 0;
      const [, ...reads] = await readsOf(async () => {
        ({ total } = await listSignals(store(), sorted));
      });
      expect(total).toBeGreaterThanOrEqual(least);
      expect(Math.max(...reads)).toBeLessThanOrEqual(Math.max(total, 201) + 1);
    },
  );

  it.each([{}, { chain }, { filter: '{"metrics.holders":{"gt":0}}' }])(
    'a sort of more than 20,000 signals is refused: %j',
    async (query) => {
      const list = () => listSignals(store(), listSignalsQuerySchema.parse({ ...query, sort: 'roi' }));
      const field = 'filter' in query ? 'filter' : 'sort';
      await expect(list()).rejects.toMatchObject({ details: [{ field }] });
    },
  );

  it('the query for events to relay reads no more than it claims, however many wait', async () => {
    const now = new Date(newestMs + 3_600_000);
    const claim = () => mongoOutbox(signalModel(connection)).claim(now, new Date(now.getTime() + 10_000));
    expect(await mostRead(claim)).toBeLessThanOrEqual(100);
  });

  it('the query for events to relay reads none that are not due yet', async () => {
    const claim = () => mongoOutbox(signalModel(connection)).claim(new Date(1_000), new Date(11_000));
    expect(await mostRead(claim)).toBe(0);
  });

  it.each([
    ['none of them has expired', -signals, 0],
    ['all have', 1, 100],
  ])(
    'the query for expired keys reads no more than it removes: %s',
    async (_, newestExpiredMinutes, most) => {
      const now = new Date(newestMs + newestExpiredMinutes * minuteMs + 3_600_000); // keys are kept for an hour more
      const expire = () => expireKeys(connection, signalsCollection, { now, lifeMs: 0 });
      expect(await mostRead(expire)).toBeLessThanOrEqual(most);
    },
  );

  it('a query that scans the collection is seen to read all its signals', async () => {
    const scan = () => signalModel(connection).find({ is_premium: true }).lean();
    expect(await mostRead(scan)).toBeGreaterThanOrEqual(signals);
  });
});

const unread = { id: 'evt_0' } as never;
