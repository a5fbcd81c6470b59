import {
  encodeCursor,
  listSignalsQuerySchema,
  type SignalDetail,
  type SortFigure,
  signalStatuses,
  signalTypes,
  sortFigures,
} from '@sigcast/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSignals } from '../src/domain/list-signals.ts';
import type { SignalStore } from '../src/domain/ports.ts';
import { type Signal, toDetail } from '../src/domain/signal.ts';
import { mongoSignalStore } from '../src/store/signal-store.ts';
import { openModel, openStack } from './fixture.ts';
import { sampleSignal } from './samples.ts';

const startMs = Date.parse('2026-02-01T00:00:00Z');
const at = (hours: number) => new Date(startMs + hours * 3_600_000);

/** Few values, so that many signals have the same. */
const usd = fc.constantFrom(10_000, 20_000.5, 100_000, 250_000, 1e15);
const changes = fc.record({
  type: fc.constantFrom(...signalTypes),
  status: fc.constantFrom(...signalStatuses),
  symbol: fc.constantFrom('WIF', 'wif', 'CAT'),
  contract: fc.constantFrom('0xAb', 'SoL'),
  chain: fc.constantFrom('solana', 'base', ''),
  createdAt: fc.nat(5).map(at),
  mcap_current: usd,
  mcap_ath: usd,
  liquidity: usd,
});
type Changes = typeof changes extends fc.Arbitrary<infer T> ? T : never;

function signalOf(
  { symbol, contract, chain, mcap_current, mcap_ath, liquidity, ...others }: Changes,
  n: number,
): Signal {
  const sample = sampleSignal(others.createdAt);
  return {
    ...sample,
    ...others,
    id: `sig_${String(n).padStart(26, '0')}`,
    token: { ...sample.token, symbol, contract, chain },
    metrics: { ...sample.metrics, mcap_current, mcap_ath: Math.max(mcap_ath, mcap_current), liquidity },
  };
}

/** Random signals, the same in each run. */
const signals = fc.sample(changes, { numRuns: 60, seed: 7 }).map(signalOf);

const some = <T>(values: readonly T[]) =>
  fc.subarray([...values], { minLength: 1 }).map((chosen) => chosen.join(','));
const filters = fc.record(
  {
    type: some(signalTypes),
    status: some(signalStatuses),
    symbol: fc.constant('wif'),
    contract: fc.constant('0xaB'),
    chain: fc.constantFrom('solana', 'base'),
    since: fc.nat(3).map((hours) => at(hours).toISOString()),
    until: fc.nat(5).map((hours) => at(hours).toISOString()),
    filter: fc.constantFrom(
      '{"metrics.liquidity":{"gte":20000}}',
      '{"any":[{"type":{"eq":"new"}},{"performance.roi":{"gt":0}}],"not":{"token.chain":{"eq":"base"}}}',
    ),
  },
  { requiredKeys: [] },
);

const figureOf = (signal: Signal, sort: SortFigure): number => {
  const { performance, metrics }: SignalDetail = toDetail(signal);
  return {
    roi: performance.roi,
    ath_roi: performance.ath_roi,
    mcap_current: metrics.mcap_current,
    liquidity: metrics.liquidity,
  }[sort];
};

describe('a list that is sorted by a figure', () => {
  const { stack, resources, close } = openStack();
  let store: SignalStore;
  const insert = (made: readonly Signal[]) =>
    store.insert(made.map((signal) => ({ signal, event: { id: 'evt_1' } as never })));

  beforeAll(async () => {
    const model = await openModel(stack, resources);
    store = mongoSignalStore(model, {
      readNow: () => Promise.resolve(new Map()),
      dirtyInsert: () => ({ at: new Date(startMs), before: {} }),
      dirtyUpdate: {},
    });
    await insert(signals);
  });
  afterAll(close);

  const read = (query: object) => listSignals(store, listSignalsQuerySchema.parse(query));
  /** Follows cursors to the end. */
  const walk = async (query: object, between: () => Promise<unknown> = async () => undefined) => {
    const found: Signal[] = [];
    for (let page = await read(query); ; page = await read({ ...query, cursor: page.nextCursor })) {
      found.push(...page.entries);
      if (page.nextCursor === null) return found;
      await between();
    }
  };
  const idsOf = (found: readonly Signal[]) => found.map(({ id }) => id);

  it('has by page and by cursor what the list by time has, in the order of a sort in memory, and its total', async () => {
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.constantFrom(...sortFigures),
        fc.integer({ min: 1, max: 25 }),
        async (filter, sort, limit) => {
          const expected = (await read({ ...filter, limit: '100' })).entries.toSorted(
            (a, b) => figureOf(b, sort) - figureOf(a, sort) || (a.id < b.id ? 1 : -1),
          );
          const query = { ...filter, sort, limit: String(limit) };
          expect(idsOf(await walk(query))).toEqual(idsOf(expected));
          const second = await read({ ...query, page: '2' });
          expect(idsOf(second.entries)).toEqual(idsOf(expected.slice(limit, 2 * limit)));
          expect(second).toMatchObject({ total: expected.length, page: 2 });
        },
      ),
      { numRuns: 120 },
    );
  });

  it('neither skips nor repeats by cursor what does not move, while others move and new ones arrive', async () => {
    const query = { sort: 'liquidity', limit: '4', status: 'active,winner,dead,rugged' };
    const before = await walk({ ...query, limit: '100' });
    const moving = before.filter((_, n) => n % 5 === 0);
    let made = 100;
    const found = await walk(query, async () => {
      const moved = moving.shift();
      if (moved !== undefined) {
        const metrics = { ...moved.metrics, liquidity: moved.metrics.liquidity > 50_000 ? 1 : 1e9 };
        await store.replace([
          {
            signal: { ...moved, metrics, rev: moved.rev + 1 },
            event: { id: 'evt_2', type: 'signal.updated' } as never,
          },
        ]);
      }
      await insert([signalOf({ ...(fc.sample(changes, { numRuns: 1, seed: made })[0] as Changes) }, made++)]);
    });
    const still = idsOf(before.filter((_, n) => n % 5 !== 0));
    expect(idsOf(found).filter((id) => still.includes(id))).toEqual(still);
    expect(made).toBeGreaterThan(105);
  });

  it.each([
    ['roi', 'ath_roi'],
    ['roi', undefined],
    [undefined, 'roi'],
  ])('refuses with the sort %s a cursor that a list with the sort %s has given', async (sort, other) => {
    const { nextCursor } = await read({ sort: other, limit: '2' });
    await expect(read({ sort, cursor: nextCursor })).rejects.toMatchObject({
      details: [{ field: 'cursor' }],
    });
    const after = {
      createdAt: at(0),
      id: signals[0]?.id ?? '',
      figure: { name: 'roi', value: Number.NaN },
    } as const;
    await expect(read({ sort: 'roi', cursor: encodeCursor({ after, page: 2 }) })).rejects.toThrow('cursor');
  });
});
