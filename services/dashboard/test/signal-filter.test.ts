import {
  conditionsText,
  listSignalsQuerySchema,
  matcherOf,
  sampleOf,
  signalConditionFields,
  signalListItemSchema,
} from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import {
  everySignal,
  letsThrough,
  type SignalFilter,
  signalFilterIn,
  signalSearch,
  signalsQuery,
  tokenIn,
  unknownFilters,
} from '../src/api/signal-filter.ts';
import { amountIn } from '../src/api/signal-ranges.ts';

const contract = '0x6982508145454Ce325dDbE47a25d4ec3d2311933';

function signal(changes: { symbol?: string; contract?: string; madeAt?: string; roi?: number; id?: string }) {
  const { symbol = 'NOVA', madeAt = '2026-11-20T12:00:00.000Z', roi = 0, id = 'sig_1' } = changes;
  return sampleOf(signalListItemSchema, {
    id,
    created_at: madeAt,
    token: { symbol, contract: changes.contract ?? '0x1' },
    performance: { roi, status: 'active' },
  });
}

describe('the filter of signals', () => {
  it('is written to the address, and read from it without a difference', () => {
    const filters: readonly Partial<SignalFilter>[] = [
      {},
      { types: ['3d', 'wallet'], statuses: ['winner'], page: 3 },
      { token: { by: 'search', text: 'A & B=1' } },
      { token: { by: 'contract', text: contract } },
      { from: '2026-11-01', to: '2026-11-07' },
      { risks: 'none-known' },
      { risks: 'none-found' },
      {
        ranges: [
          { figure: 'mcap_entry', min: 50_000, max: null },
          { figure: 'roi', min: -50.5, max: 100 },
          { figure: 'holders', min: null, max: 0 },
        ],
      },
      { sort: 'roi' },
      { sort: 'mcap_current', page: 500 },
    ];
    for (const changes of filters) {
      const filter = { ...everySignal, ...changes };
      expect(signalFilterIn(signalSearch(filter))).toEqual(filter);
    }
    expect(signalSearch(everySignal)).toBe('');
  });

  it('is read from an address without its wrong values', () => {
    const search = `type=gold&status=&search=${'x'.repeat(101)}&from=2026-02-30&to=yesterday&sort=holders&page=0&roi=10&holders=5..1&liquidity=..`;
    expect(signalFilterIn(search)).toEqual(everySignal);
  });

  it('becomes a request to the API that includes its first and its last day whole', () => {
    const asked = (changes: Partial<SignalFilter>) => {
      const given = Object.entries(
        signalsQuery({ ...everySignal, ...changes }, new Date('2026-11-26T16:00:00Z')),
      );
      const texts = given.map(([name, value]) => [
        name,
        value instanceof Date ? value.toISOString() : `${value}`,
      ]);
      return listSignalsQuerySchema.parse(Object.fromEntries(texts));
    };
    expect(asked({})).toEqual({ limit: 20, page: 1 });
    expect(asked({ sort: 'ath_roi', from: '2026-11-01' })).toEqual({
      limit: 20,
      page: 1,
      sort: 'ath_roi',
      since: new Date('2026-10-31T23:59:59.999Z'),
    });
    const { since, until } = asked({ from: '2026-11-01', to: '2026-11-07' });
    // The API leaves out a signal of exactly `since`, but not one of exactly `until`.
    expect(since?.toISOString()).toBe('2026-10-31T23:59:59.999Z');
    expect(until?.toISOString()).toBe('2026-11-07T23:59:59.999Z');
    const ofRisks = asked({ risks: 'none-known' });
    expect(ofRisks.since?.toISOString()).toBe('2026-10-27T23:59:59.999Z');
    expect(ofRisks.until).toBeUndefined();
    expect(asked({ sort: 'roi' }).since).toEqual(ofRisks.since);
    const upToDay = asked({ risks: 'none-found', to: '2026-11-07' });
    expect(upToDay.since?.toISOString()).toBe('2026-10-08T23:59:59.999Z');
    expect(asked({ risks: 'none-found', from: '2026-01-01' }).since?.toISOString()).toBe(
      '2025-12-31T23:59:59.999Z',
    );
    for (const page of [1, 500]) expect(asked({ page }).page).toBe(page);
    const longest = { by: 'contract', text: 'x'.repeat(200) } as const;
    expect(asked({ token: longest }).contract).toBe(longest.text);
  });

  it.each<Partial<SignalFilter>>([{}, { risks: 'none-known' }, { risks: 'none-found' }])(
    'finds the beginning of a symbol or of a name in any case, among the signals of thirty days, with %j',
    (risks) => {
      const token = { by: 'search', text: 'nov' } as const;
      const { filter, since } = signalsQuery({ ...everySignal, ...risks, token }, new Date('2026-11-26'));
      expect(since).toEqual(new Date('2026-10-27T23:59:59.999Z'));
      const matches = matcherOf(conditionsText(signalConditionFields).parse(filter));
      const none = { top10_share: 0.1, mintable: false, freezable: false, honeypot: false };
      const named = (symbol: string, name: string, of: object = none) =>
        matches({ token: { symbol, name }, origin: { risks: of } });
      expect([named('NOVA', 'x'), named('X', 'Novel'), named('XNOV', 'a nov')]).toEqual([true, true, false]);
      expect(named('NOVA', 'x', { ...none, mintable: true })).toBe(risks.risks === undefined);
      const unchecked = { ...none, mintable: null, honeypot: null };
      expect(named('NOVA', 'x', unchecked)).toBe(risks.risks !== 'none-found');
    },
  );

  it('matches signals by their figures as the API does, with the other conditions, among the signals of thirty days', () => {
    const ranges = [
      { figure: 'mcap_entry', min: 50_000, max: 100_000 },
      { figure: 'ath_roi', min: 100, max: null },
    ] as const;
    const asked = { ...everySignal, ranges, risks: 'none-known' } as const;
    const { filter, since } = signalsQuery(asked, new Date('2026-11-26'));
    expect(since).toEqual(new Date('2026-10-27T23:59:59.999Z'));
    const matches = matcherOf(conditionsText(signalConditionFields).parse(filter));
    for (const [mcap, peak, expected] of [
      [50_000, 100, true],
      [100_000, 5_000, true],
      [49_999, 100, false],
      [100_001, 100, false],
      [50_000, 99.99, false],
    ] as const) {
      const listed = sampleOf(signalListItemSchema, {
        metrics: { mcap_entry: mcap },
        performance: { ath_roi: peak },
      });
      expect([matches({ ...listed, origin: null }), letsThrough(asked, listed)]).toEqual([
        expected,
        expected,
      ]);
    }
  });

  it('finds a whole symbol instead, with the other filters, where beginnings can’t be searched', () => {
    const filter = { ...everySignal, risks: 'none-known', token: { by: 'search', text: 'nov' } } as const;
    const query = signalsQuery(filter, new Date(), true);
    expect(query).toMatchObject({
      symbol: 'nov',
      filter: signalsQuery({ ...filter, token: null }, new Date()).filter,
    });
  });

  it('matches the same signals as the API does: symbols, names and 0x contracts in any case, other contracts exactly, days with their ends', () => {
    const through = (changes: Partial<SignalFilter>, of: Parameters<typeof signal>[0]) =>
      letsThrough({ ...everySignal, ...changes }, signal(of));
    expect(through({ token: { by: 'search', text: 'noV' } }, {})).toBe(true);
    expect(through({ token: { by: 'search', text: 'ova' } }, {})).toBe(false);
    expect(through({ token: { by: 'contract', text: contract } }, { contract })).toBe(true);
    const ofContract = (text: string) => through({ token: { by: 'contract', text } }, { contract: '0xAb' });
    expect([ofContract('0XAB'), ofContract('0xabc')]).toEqual([true, false]);
    expect(through({ token: { by: 'contract', text: 'SoL1' } }, { contract: 'sol1' })).toBe(false);
    const days = { from: '2026-11-20', to: '2026-11-20' };
    expect(through(days, { madeAt: '2026-11-20T00:00:00.000Z' })).toBe(true);
    expect(through(days, { madeAt: '2026-11-20T23:59:59.999Z' })).toBe(true);
    expect(through(days, { madeAt: '2026-11-19T23:59:59.999Z' })).toBe(false);
    expect(through(days, { madeAt: '2026-11-21T00:00:00.000Z' })).toBe(false);
  });
});

describe('what an address asks that no filter knows', () => {
  it('is named, whatever the order of the others is', () => {
    expect(
      unknownFilters('status=bogus&type=wallet,new&sort=roi&period=7d&page=1&search=x&min_roi=abc'),
    ).toEqual(['status=bogus', 'min_roi=abc']);
    expect(unknownFilters('type=new,newest&from=yesterday&roi=a..')).toEqual([
      ...['type=new,newest', 'from=yesterday', 'roi=a..'],
    ]);
  });
});

describe('what is typed as the limit of a figure', () => {
  it.each([
    [' ', null],
    ['50000', 50_000],
    ['$50,000', 50_000],
    ['1.25 M', 1_250_000],
    ['−12.5%', -12.5],
    ['50 thousand', undefined],
    ['1,5', undefined],
    ['-', undefined],
    ['1e400', undefined],
  ])('reads %j as %j', (typed, expected) => {
    expect(amountIn(typed)).toBe(expected);
  });
});

describe('what is typed into the search for a token', () => {
  it('is the beginning of a symbol or a name, or a contract address if it is as long as one', () => {
    expect(tokenIn('  ')).toBeNull();
    expect(tokenIn(' $nova ')).toEqual({ by: 'search', text: 'nova' });
    expect(tokenIn('$')).toEqual({ by: 'search', text: '$' });
    expect(tokenIn(contract)).toEqual({ by: 'contract', text: contract });
    const solana = 'So11111111111111111111111111111111111111112';
    expect(tokenIn(`${solana}\n`)).toEqual({ by: 'contract', text: solana });
    expect(tokenIn('a name of several words, which is no address')?.by).toBe('search');
  });
});
