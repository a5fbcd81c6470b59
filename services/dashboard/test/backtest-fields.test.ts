import {
  type BacktestParameters,
  type BacktestSummary,
  createBacktestSchema,
  signalTypes,
} from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  fieldsOf,
  typedOf,
  typedWords,
  usualFields,
} from '../src/routes/backtests/backtest-fields.ts';

const now = Date.parse('2026-11-23T12:34:56.789Z');
const asked = (fields: object) => createBacktestSchema.parse(fields);

const parameters: BacktestParameters = {
  filters: {
    since: '2026-10-01T00:00:30.000Z',
    until: '2026-10-20T00:00:00.000Z',
    types: ['wallet', 'new'],
    is_premium: false,
    min_mcap: 20_000,
    max_mcap: null,
    min_liquidity: 0.5,
    min_volume_24h: null,
    min_holders: 50,
  },
  filter: { 'token.chain': { in: ['solana'] } },
  delay_minutes: 0,
  size_usd: 250,
  target: null,
  stop: 0.25,
  hold_hours: 24,
  costs: { fee_percent: 0, price_impact: false },
  as_of: '2026-11-01T10:20:30.456Z',
};

describe('the form for a backtest', () => {
  it('begins with the last 30 days and, in everything else, with the defaults of the API', () => {
    const since = '2026-10-24T12:34:00.000Z';
    expect(asked(bodyOf(usualFields(now)))).toEqual(asked({ filters: { since } }));
  });

  it("sends every field under the API's name", () => {
    const fields = {
      ...usualFields(now),
      until: '2026-11-01T00:00',
      asOf: '2026-11-20T08:00',
      types: ['premium' as const],
      isPremium: true,
      filter: { is_premium: { eq: true } },
      figures: { min_mcap: 1, max_mcap: 2, min_liquidity: 3, min_volume_24h: 4, min_holders: 5 },
      delayMinutes: 6,
      sizeUsd: 7,
      holdHours: 8,
      feePercent: 9,
      priceImpact: false,
      target: { on: true, times: 10 },
      stop: { on: false, times: 0.5 },
    };
    expect(bodyOf(fields)).toEqual({
      filters: {
        since: '2026-10-24T12:34:00.000Z',
        until: new Date('2026-11-01T00:00').toISOString(),
        types: ['premium'],
        is_premium: true,
        min_mcap: 1,
        max_mcap: 2,
        min_liquidity: 3,
        min_volume_24h: 4,
        min_holders: 5,
      },
      filter: { is_premium: { eq: true } },
      delay_minutes: 6,
      size_usd: 7,
      hold_hours: 8,
      target: 10,
      stop: null,
      costs: { fee_percent: 9, price_impact: false },
      as_of: new Date('2026-11-20T08:00').toISOString(),
    });
  });

  it('asks for the same backtest again when it is filled from one', () => {
    const again = asked(bodyOf(fieldsOf(parameters, null)));
    expect(JSON.parse(JSON.stringify(again))).toEqual({
      ...parameters,
      filters: Object.fromEntries(Object.entries(parameters.filters).filter(([, value]) => value !== null)),
    });
  });

  it('leaves out what the backtest that fills it had left out, but has the same "As of"', () => {
    const { as_of } = parameters;
    const filters = { ...parameters.filters, until: as_of, types: [...signalTypes], is_premium: null };
    const body = asked(bodyOf(fieldsOf({ ...parameters, filters }, null)));
    expect(body.filters).not.toHaveProperty('until');
    expect(body.filters).not.toHaveProperty('types');
    expect(body.filters).not.toHaveProperty('is_premium');
    expect(body.as_of?.toISOString()).toBe(as_of);
  });

  it('is as of now where the backtest that fills it found nothing to buy', () => {
    const result = (noEntry: number, filtered: number) =>
      ({ trades: 0, not_bought: { no_entry: noEntry, filtered } }) as BacktestSummary;
    expect(fieldsOf(parameters, result(0, 0)).asOf).toBe('');
    expect(fieldsOf(parameters, result(4, 0)).asOf).toBe('');
    expect(fieldsOf(parameters, result(4, 1)).asOf).not.toBe('');
  });

  it('leaves it to the API to say what is wrong with an empty or a wrong field', () => {
    const usual = usualFields(now);
    const wrong = { ...usual, since: '', sizeUsd: '', holdHours: '', target: { on: true, times: '' } };
    const { error } = createBacktestSchema.safeParse(bodyOf(wrong));
    expect(error?.issues.map(({ path }) => path.join('.')).sort()).toEqual([
      ...['filters.since', 'hold_hours', 'size_usd', 'target'],
    ]);
  });

  it('suggests a target and a stop where the backtest that fills it had none', () => {
    const { target, stop } = fieldsOf({ ...parameters, stop: null }, null);
    expect([target, stop]).toEqual([
      { on: false, times: 2 },
      { on: false, times: 0.5 },
    ]);
  });
});

it.each([
  ['1,500', 1500, '$1,500'],
  ['1,5', '1,5', '1,5'],
  ['$0.05', 0.05, '$0.05'],
  ['abc', 'abc', 'abc'],
  ['', '', ''],
  ['-1', -1, '$-1'],
])('a number field keeps %j as %j and shows %j', (text, typed, shown) => {
  expect(typedOf(text, '$', '')).toBe(typed);
  expect(typedWords(typed, '$', '')).toBe(shown);
});

it('a number field takes its unit off', () => {
  expect(['12 h', '12h', '12'].map((text) => typedOf(text, '', ' h'))).toEqual([12, 12, 12]);
});
