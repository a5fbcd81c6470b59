import { creationConditionFields } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import {
  creationFilterPaths,
  filterIn,
  filterOf,
  filterPaths,
  operatorsFor,
  rowsOf,
  sentenceOf,
  withField,
} from '../src/routes/filters/filter-rows.ts';

describe('rows of conditions', () => {
  it('make the filter that they were made of, in its order, whatever its fields and operators', () => {
    const filter = {
      'metrics.mcap_entry': { gte: 50_000, lt: 1_000_000 },
      'token.chain': { in: ['solana', 'base'] },
      is_premium: { eq: false },
      type: { nin: ['wallet'] },
      created_at: { gt: '2026-01-01' },
      'token.socials.twitter': { exists: true },
      'metrics.holders': { in: [1, 2.5] },
      'token.name': { contains: ' hat' },
    };
    const rows = rowsOf(filter);
    expect(rows).toHaveLength(9);
    expect(JSON.stringify(filterOf(rows ?? []))).toBe(JSON.stringify(filter));
    expect(rowsOf(null)).toEqual([]);
    expect(filterOf([])).toBeNull();
  });

  it.each([
    [{ any: [{ type: { eq: 'new' } }] }],
    [{ 'token.colour': { eq: 'red' } }],
    [{ type: null }],
    [{ type: {} }],
    [{ type: { gtee: 1 } }],
    [{ 'metrics.holders': { gt: '1' } }],
  ])('can not show %j, which stays a text in JSON', (filter) => {
    expect(rowsOf(filter)).toBeUndefined();
  });

  it('make no filter while one has no value, a value of another kind, or the comparison of another one', () => {
    const row = { id: 0, path: 'metrics.holders', operator: 'gt', texts: ['1,000'] } as const;
    expect(filterOf([row])).toEqual({ 'metrics.holders': { gt: 1_000 } });
    for (const texts of [[], [''], ['many']]) expect(filterOf([{ ...row, texts }])).toBeUndefined();
    expect(filterOf([row, { ...row, id: 1, texts: ['2'] }])).toBeUndefined();
    expect(filterOf([row, { ...row, id: 1, operator: 'lt', texts: ['2'] }])).toEqual({
      'metrics.holders': { gt: 1_000, lt: 2 },
    });
  });

  it('keep value and comparison for another field of the same kind, and begin anew for one of another kind', () => {
    const row = { id: 3, path: 'metrics.holders', operator: 'gt', texts: ['5'] } as const;
    expect(withField(row, 'metrics.liquidity')).toEqual({ ...row, path: 'metrics.liquidity' });
    expect(withField(row, 'type')).toEqual({ id: 3, path: 'type', operator: 'eq', texts: [] });
    for (const path of filterPaths) expect(operatorsFor(path)).toContain(withField(row, path).operator);
  });
});

it('a text is a filter where it is an object in JSON, and none where it is empty', () => {
  expect(filterIn('{"any":[]}')).toEqual({ any: [] });
  expect(filterIn(' ')).toBeNull();
  for (const text of ['{', '[]', '1', 'null']) expect(filterIn(text)).toBeUndefined();
});

it('a trial says how many events meet the conditions, or that there are none', () => {
  expect(sentenceOf({ matched: 37, tried: 1_000, since: null })).toBe(
    '37 of the last 1,000 events meet these conditions.',
  );
  expect(sentenceOf({ matched: 1, tried: 1, since: null })).toBe(
    'The only such event meets these conditions.',
  );
  expect(sentenceOf({ matched: 0, tried: 0, since: null })).toMatch(/no such events yet/);
});

it('a backtest’s conditions are on what is known when a signal is created', () => {
  const known = [...creationConditionFields].filter(([, { refused }]) => refused === undefined);
  expect(creationFilterPaths.toSorted()).toEqual(known.map(([path]) => path).toSorted());
});
