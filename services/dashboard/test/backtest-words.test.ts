import { type BacktestParameters, type BacktestSummary, signalTypes } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import {
  boughtOf,
  nothingBoughtOf,
  parametersOf,
  ruleOf,
  spanOf,
  stateOf,
} from '../src/routes/backtests/backtest-words.ts';

const usual: BacktestParameters = {
  filters: {
    since: '2026-10-24T12:00:00.000Z',
    until: '2026-11-23T12:00:00.000Z',
    types: [...signalTypes],
    is_premium: null,
    min_mcap: null,
    max_mcap: null,
    min_liquidity: null,
    min_volume_24h: null,
    min_holders: null,
  },
  filter: null,
  delay_minutes: 1,
  size_usd: 100,
  target: 2,
  stop: 0.5,
  hold_hours: 168,
  costs: { fee_percent: 1, price_impact: true },
  as_of: '2026-11-23T12:00:00.000Z',
};
const narrow: BacktestParameters = {
  ...usual,
  filters: {
    ...usual.filters,
    types: ['new', 'wallet'],
    is_premium: true,
    min_mcap: 20_000,
    min_holders: 1_500,
  },
  filter: { 'token.chain': { eq: 'base' } },
  target: null,
  stop: null,
  hold_hours: 24,
  costs: { fee_percent: 0.3, price_impact: false },
};

const found = (signals: number, noEntry: number, filtered: number) =>
  ({
    signals,
    trades: signals - noEntry - filtered,
    not_bought: { no_entry: noEntry, filtered },
    by_exit: { open: noEntry, target: 0, stop: 0, end: 0 },
  }) as BacktestSummary;

describe('a backtest', () => {
  it('that bought nothing has no colour of a success', () => {
    const state = (result: BacktestSummary | null) => stateOf({ status: 'completed', result });
    expect(state(found(3, 2, 1))).toEqual({ word: 'No trades', tone: 'neutral' });
    expect(state(found(3, 2, 0))).toEqual({ word: 'Completed', tone: 'good' });
    expect(stateOf({ status: 'queued', result: null }).word).toBe('Queued');
  });

  it('that bought nothing says how many signals there were, and why none was bought', () => {
    expect(nothingBoughtOf(usual, found(0, 0, 0), 300)).toMatch(
      /no matching signals on record at Nov 23, 2026, \d\d:00, .+ There are 300 now\. Run it again/,
    );
    expect(nothingBoughtOf(usual, found(0, 0, 0))).toMatch(/when this backtest ends\.$/);
    expect(nothingBoughtOf(usual, found(0, 0, 0), 0)).toContain('There are none now either');
    expect(nothingBoughtOf(usual, found(300, 300, 0))).toMatch(
      /^300 signals matched, but none had a price to buy at\. .* 1 to 61 minutes after their creation/,
    );
    expect(nothingBoughtOf(usual, found(8, 0, 8))).toBe('8 signals matched, but none passed the filters.');
    expect(nothingBoughtOf(usual, found(3, 2, 1))).toMatch(
      /^3 signals matched: 2 had no price to buy at, 1 did not pass the filters\. /,
    );
  });

  it('says in a sentence how many signals it bought, why not the others, and how many trades are not sold', () => {
    expect(boughtOf(found(9, 2, 1))).toBe(
      '6 of 9 signals were bought; 2 had no price to buy at, 1 did not pass the filters. ' +
        'New signals have no price history yet. Trades not sold yet (2) count at their latest price.',
    );
    expect(boughtOf(found(9, 0, 0))).toBe('9 of 9 signals were bought.');
  });

  it('has the days of its signals as its name', () => {
    expect(spanOf(usual).replace(/\s/g, ' ')).toBe('Oct 24 – Nov 23, 2026');
  });

  it('says its rule in a line', () => {
    expect(ruleOf(usual)).toBe('All types · target 2× · stop 0.5× · at most 168\u00A0h');
    expect(ruleOf(narrow)).toBe(
      'New, Wallet · premium · no target · no stop · at most 24\u00A0h · conditions · min. market cap $20K · min. holders 1,500',
    );
    const others = { ...usual, filters: { ...usual.filters, is_premium: false } };
    expect(ruleOf(others)).toContain('All types · not premium · ');
  });

  it('lists each of its parameters, and no figure that it does not filter by', () => {
    const said = Object.fromEntries(parametersOf(narrow));
    expect(said).toMatchObject({
      Types: 'New, Wallet',
      Conditions: '{"token.chain":{"eq":"base"}}',
      Premium: 'Only premium signals',
      'Min. market cap': '$20,000.00',
      'Min. holders': '1,500',
      Delay: '1 min',
      Size: '$100.00',
      Target: 'None',
      Stop: 'None',
      'Hold at most': '24\u00A0h',
      'Fee per trade': '0.3%',
      'Price impact': 'Left out',
    });
    expect(Object.keys(said)).not.toContain('Max. market cap');
    expect(Object.fromEntries(parametersOf(usual))).toMatchObject({
      Types: 'All types',
      Premium: 'All signals',
      'Price impact': 'Included',
      Target: '2×',
    });
  });
});
