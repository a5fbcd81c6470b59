import {
  conditionsText,
  matcherOf,
  operatorsOf,
  type Realizable,
  signalConditionFields,
  signalStatuses,
  signalTypes,
} from '@sigcast/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Signal, toDetail } from '../src/domain/signal.ts';
import type { SignalModel } from '../src/store/signal-document.ts';
import { mongoSignalStore } from '../src/store/signal-store.ts';
import {
  detailOf,
  openModel,
  openService,
  openStack,
  refusedFields,
  type Service,
  testIdentities,
} from './fixture.ts';
import { sampleBody, sampleSignal } from './samples.ts';

const startMs = Date.parse('2026-02-01T00:00:00Z');
const instant = fc.integer({ min: 0, max: 5 }).map((hours) => new Date(startMs + hours * 3_600_000));
const usd = fc.constantFrom(0, 0.5, 10_000, 20_000, 1_000_000);
const text = fc.constantFrom('', 'WIF', 'wif hat', 'ÉCU', 'écu', 'straße', 'a.b', '$[x]^', '🦊');
const unknown = <T>(known: fc.Arbitrary<T>) => fc.option(known);

const origin = fc.record({
  rule: fc.constantFrom('v1', 'v1-custom'),
  sources: fc.subarray(['dexscreener:boosts', 'geckoterminal:trending'], { minLength: 1 }),
  observed_at: instant.map((at) => at.toISOString()),
  figures: fc.record({
    volume_1h: unknown(usd),
    buys_1h: unknown(fc.nat(3)),
    sells_1h: unknown(fc.nat(3)),
    buyers_1h: unknown(fc.nat(3)),
    change_1h: unknown(fc.constantFrom(-5.5, 0, 38.5)),
  }),
  risks: fc.record({
    top10_share: unknown(fc.constantFrom(0, 0.24, 0.3, 1)),
    mintable: unknown(fc.boolean()),
    freezable: unknown(fc.boolean()),
    honeypot: unknown(fc.boolean()),
  }),
  unknown: fc.subarray(['dex_paid', 'holders'] as const),
});
const realizable: fc.Arbitrary<Realizable> = fc.record({
  rule: fc.constant('v1'),
  roi: fc.constantFrom(-100, 0, 92),
  entered_at: instant.map((at) => at.toISOString()),
  exited_at: unknown(instant.map((at) => at.toISOString())),
  exit: unknown(fc.constantFrom('target', 'stop', 'end')),
});
const changes = fc.record({
  name: text,
  symbol: text,
  contract: fc.constantFrom('0xAb', '0xaB', 'SoL', 'sOl'),
  type: fc.constantFrom(...signalTypes),
  status: fc.constantFrom(...signalStatuses),
  createdAt: instant,
  updatedAt: instant,
  isPremium: fc.boolean(),
  mcap_current: usd,
  twitter: text,
  origin: fc.option(origin, { nil: undefined }),
  realizable: fc.option(realizable, { nil: undefined }),
});

const count = 60;

/** Random signals, the same in each run. */
const signals = fc
  .sample(changes, { numRuns: count, seed: 41 })
  .map(({ name, symbol, contract, twitter, mcap_current, ...others }, n): Signal => {
    const sample = sampleSignal(others.createdAt, { mcap_current });
    return {
      ...sample,
      ...others,
      id: `sig_${String(n).padStart(26, '0')}`,
      token: { ...sample.token, name, symbol, contract, socials: { ...sample.token.socials, twitter } },
      athAt: others.updatedAt,
    };
  });
const shown = signals.map((signal) => ({
  ...toDetail(signal),
  origin: signal.origin ?? null,
  realizable: signal.realizable ?? null,
}));

/** The values that signals have of a field, those of lists one by one. */
function valuesOf(path: string): unknown[] {
  const found = shown.flatMap((signal) =>
    path
      .split('.')
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], signal),
  );
  return [...new Set(found)].filter((value) => value !== null && value !== undefined);
}

/** A field with a random operator and a value that some signals have. */
const field = fc.constantFrom(...signalConditionFields.values()).chain(({ path, kind }) => {
  const values = valuesOf(path);
  const others = values.flatMap((each) =>
    kind === 'text' ? [String(each).toLowerCase(), String(each).toUpperCase()] : [],
  );
  const value = fc.constantFrom(...values, ...others);
  const part = fc.tuple(value, fc.nat(2), fc.nat(4)).map(([whole, from, length]) => {
    const characters = Array.from(String(whole)).slice(from, from + length);
    return characters.join('').toUpperCase() || 'É';
  });
  return fc.constantFrom(...operatorsOf[kind]).chain((operator) => {
    const operands: Record<string, fc.Arbitrary<unknown>> = {
      exists: fc.boolean(),
      in: fc.array(value, { minLength: 1, maxLength: 3 }),
      nin: fc.array(value, { minLength: 1, maxLength: 3 }),
      starts_with: part,
      contains: part,
    };
    return (operands[operator] ?? value).map((operand) => ({ [path]: { [operator]: operand } }));
  });
});
const group = fc
  .array(field, { minLength: 1, maxLength: 2 })
  .map((fields) => Object.assign({}, ...fields) as object);
const filters = fc
  .record(
    { all: group, any: fc.array(group, { minLength: 1, maxLength: 3 }), not: group },
    { requiredKeys: [] },
  )
  .filter((parts) => Object.keys(parts).length > 0)
  .map(({ all, ...others }) => ({ ...all, ...others }));

describe('conditions of a list', () => {
  const { stack, resources, close } = openStack();
  let service: Service;
  let model: SignalModel;

  beforeAll(async () => {
    model = await openModel(stack, resources);
    service = openService({ model, identities: testIdentities() });
  });
  afterAll(close);

  it('the store finds the signals that the evaluator lets through, and counts them', async () => {
    const store = mongoSignalStore(model, {
      readNow: () => Promise.reject(new Error('totals are not asked for')),
      dirtyInsert: () => ({ at: new Date(startMs), before: {} }),
      dirtyUpdate: {},
    });
    await store.insert(signals.map((signal) => ({ signal, event: { id: 'evt_1' } as never })));
    let found = 0;
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const conditions = conditionsText(signalConditionFields).parse(JSON.stringify(filter));
        const expected = shown.filter(matcherOf(conditions)).map(({ id }) => id);
        const page = await store.page({ filter: { conditions }, skip: 0, limit: count });
        expect(page.map(({ id }) => id).sort()).toEqual(expected);
        expect(await store.count({ conditions })).toEqual({ total: expected.length, capped: false });
        found += expected.length;
      }),
      { numRuns: 150 },
    );
    expect(found).toBeGreaterThan(0);
    await model.deleteMany({});
  });

  it('a list with conditions has all matches in order, by page and by cursor, within the other parameters, and the exact total', async () => {
    const types = ['new', '3d', 'wallet'] as const;
    const created = [];
    for (let n = 0; n < 24; n++) {
      const created_at = new Date(startMs + n * 1_000).toISOString();
      const body = {
        ...sampleBody({
          type: types[n % 3] ?? 'new',
          created_at,
          mcap_current: n % 4 === 0 ? 100_000 : 200_000,
        }),
      };
      created.push(detailOf(await service.api.post(body)));
    }
    const filter = encodeURIComponent('{"performance.roi":{"gte":50},"type":{"in":["new","3d"]}}');
    const expected = created
      .filter(({ performance, type }) => performance.roi >= 50 && type !== 'wallet')
      .map(({ id }) => id)
      .reverse();
    const read = async (query: string) => {
      const { body } = await service.api.get(`/v1/signals?filter=${filter}&${query}`);
      return body as { data: { id: string }[]; meta: { total: number; next_cursor: string | null } };
    };
    const whole = await read('limit=100');
    expect(whole.data.map(({ id }) => id)).toEqual(expected);
    expect(whole.meta.total).toBe(expected.length);
    const second = await read('limit=5&page=2');
    expect(second.data.map(({ id }) => id)).toEqual(expected.slice(5, 10));
    const next = await read(`limit=5&cursor=${second.meta.next_cursor}`);
    expect(next.data.map(({ id }) => id)).toEqual(expected.slice(10, 15));
    const some = await read('type=new,wallet&status=active&limit=100');
    const newOnes = created.filter(({ id, type }) => expected.includes(id) && type === 'new');
    expect(some.data.map(({ id }) => id).sort()).toEqual(newOnes.map(({ id }) => id).sort());
    expect(some.meta.total).toBe(newOnes.length);
  });

  it('a list with conditions goes by what signals have become by changes, observations and an import', async () => {
    const madeAt = Date.parse('2026-03-01T00:00:00Z');
    const created_at = new Date(madeAt).toISOString();
    const post = async () => detailOf(await service.api.post(sampleBody({ created_at }))).id;
    const [up, upAndDown, ended, observed] = [await post(), await post(), await post(), await post()];
    const isDone = ({ status }: { status: number }) => expect(status).toBe(200);
    const observed_at = new Date(madeAt + 5_400_000).toISOString();
    isDone(await service.api.patch(up, { metrics: { mcap_current: 250_000 } }));
    isDone(await service.api.patch(upAndDown, { metrics: { mcap_current: 400_000 } }));
    isDone(await service.api.patch(upAndDown, { metrics: { mcap_current: 33_333 } }));
    isDone(await service.api.patch(ended, { status: 'dead' }));
    isDone(await service.api.observe([{ id: observed, metrics: { mcap_current: 166_666 }, observed_at }]));
    isDone(await service.api.import(JSON.stringify(sampleBody({ created_at, mcap_current: 123_456 }))));
    const read = async (filter = {}) => {
      const among = { created_at: { eq: created_at }, ...filter };
      const text = encodeURIComponent(JSON.stringify(among));
      const { body } = await service.api.get(`/v1/signals?limit=100&filter=${text}`);
      return (body as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    const all = await read();
    expect(all).toHaveLength(5);
    const shown = await Promise.all(
      all.map(async (id) => detailOf(await service.api.get(`/v1/signals/${id}`))),
    );
    const members = ['roi', 'ath_roi', 'status', 'time_to_ath_hours'] as const;
    for (const member of members) {
      const values = new Set(shown.map(({ performance }) => performance[member]));
      expect(values.size).toBeGreaterThan(1);
      for (const value of values) {
        const expected = shown.filter(({ performance }) => performance[member] === value).map(({ id }) => id);
        expect(await read({ [`performance.${member}`]: { eq: value } })).toEqual(expected);
      }
    }
  });

  it.each([
    ['{"metrics.mcap_entry":{"gtee":1}}', 'filter.metrics.mcap_entry.gtee'],
    ['{"any":[{"token.age":{"lt":1}}]}', 'filter.any.0.token.age'],
    ['{"type"', 'filter'],
    [`{"type":{"eq":"new"}}${' '.repeat(4_000)}`, 'filter'],
  ])('the list refuses the filter %s and names what is wrong', async (filter, field) => {
    const response = await service.api.get(`/v1/signals?filter=${encodeURIComponent(filter)}`);
    expect(refusedFields(response)).toEqual([field]);
  });
});
