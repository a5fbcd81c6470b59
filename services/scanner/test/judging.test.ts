import type { LimitedSource, SourceAnswer } from '@sigcast/market';
import { describe, expect, it } from 'vitest';
import { type Candidate, Candidates, candidateKey } from '../src/domain/candidate.ts';
import { judgeCandidates } from '../src/domain/judge-candidates.ts';
import { defaultThresholds } from '../src/domain/rules/v1.ts';
import { memoryMadeSignals } from '../src/recording/memory-made-signals.ts';
import { geckoTerminalListsOf } from '../src/sources/lists.ts';
import { marketsOf } from '../src/sources/markets.ts';
import { pairOf, safeInfo } from './sources.ts';

const never = new AbortController().signal;
const now = () => new Date();
const refused: SourceAnswer = { kind: 'refused', status: 404, reason: 'the status is 404' };
const broken: SourceAnswer = { kind: 'bad_status', status: 503, reason: 'the status is 503' };
const sourceOf = (answer: (path: string) => SourceAnswer, failures = 0): LimitedSource => ({
  failures,
  get: (path) => Promise.resolve(answer(path)),
});
const candidate = (contract: string): Candidate => ({
  chain: 'base',
  contract,
  links: {},
  lists: ['dexscreener:boosts'],
  listedMs: 0,
});
const addressesIn = (path: string) => (path.split('/').at(-1) ?? '').split(',');
const allPairs = sourceOf((path) => ({
  kind: 'answered',
  json: addressesIn(path).map((contract) => pairOf({ contract })),
}));
const noOrders = sourceOf(() => ({ kind: 'answered', json: [] }));
const safe = sourceOf(() => ({ kind: 'answered', json: { data: { attributes: safeInfo } } }));
const facts = (orders: LimitedSource, info: LimitedSource) =>
  marketsOf({ markets: allPairs, orders, facts: info }, now);

function judging(markets: ReturnType<typeof marketsOf>) {
  const made: string[] = [];
  const reasons: string[] = [];
  const store = memoryMadeSignals({
    coolDownMs: 86_400_000,
    now,
    added: ({ type, token }) => made.push(`${token.contract} ${type}`),
  });
  const deps = {
    markets,
    made: store,
    thresholds: defaultThresholds,
    rule: 'v1',
    refused: (type: string, reason: string, { contract }: Candidate) =>
      reasons.push(`${contract} ${type} ${reason}`),
    wasMade: () => undefined,
    now,
  };
  return { deps, made, reasons };
}

describe('a token that a source refuses', () => {
  it('is found by halves, and keeps no other one back', async () => {
    const asked: string[] = [];
    const markets = sourceOf((path) => {
      asked.push(path);
      return addressesIn(path).includes('bad') ? refused : (allPairs.get(path, never) as never);
    });
    const { observe } = marketsOf({ markets }, now);
    const answer = await observe(['a', 'bad', 'c', 'd', 'e'].map(candidate), never);
    const found = answer.kind === 'observed' ? [...answer.tokens.keys()] : [];
    expect(found.sort()).toEqual(['a', 'c', 'd', 'e'].map((each) => candidateKey(candidate(each))));
    expect(asked.length).toBeLessThanOrEqual(7);
  });

  it('whose address can be none is not taken from a list', async () => {
    const json = { data: [] as object[] };
    for (const contract of ['fine', '../orders', 'a,b', 'x'.repeat(129)])
      json.data.push({
        attributes: {},
        relationships: { base_token: { data: { id: `base_${contract}` } } },
      });
    const [list] = geckoTerminalListsOf(
      sourceOf(() => ({ kind: 'answered', json })),
      ['base'],
    );
    const found = await list?.read(never);
    expect(found).toMatchObject([{ contract: 'fine' }]);
  });
});

describe('while facts of a token can not be read', () => {
  it('it waits behind the others, which are judged', async () => {
    const info = sourceOf((path) => (path.includes('/bad/') ? broken : (safe.get(path, never) as never)));
    const { deps, made } = judging(facts(noOrders, info));
    const first = await judgeCandidates(deps, ['bad', 'a', 'b'].map(candidate), never);
    expect(first.left.map(({ contract }) => contract)).toEqual(['a', 'b', 'bad']);
    await judgeCandidates(deps, first.left, never);
    expect(made).toEqual(['a new', 'b new']);
  });

  it('a token of which the source knows nothing has unknown risks, and whoever is not let in makes no signal', async () => {
    const unknown = judging(
      facts(
        noOrders,
        sourceOf(() => refused),
      ),
    );
    expect((await judgeCandidates(unknown.deps, [candidate('a')], never)).left).toEqual([]);
    expect(unknown.made).toEqual(['a new']);
    const shut = judging(
      facts(
        noOrders,
        sourceOf(() => ({ ...broken, status: 403 })),
      ),
    );
    expect((await judgeCandidates(shut.deps, [candidate('a')], never)).left).toHaveLength(1);
    expect(shut.made).toEqual([]);
  });

  it('orders are waited for at first, and done without in a long outage', async () => {
    const brief = judging(
      facts(
        sourceOf(() => broken, 9),
        safe,
      ),
    );
    expect((await judgeCandidates(brief.deps, [candidate('a')], never)).left).toHaveLength(1);
    const long = judging(
      facts(
        sourceOf(() => broken, 10),
        safe,
      ),
    );
    expect((await judgeCandidates(long.deps, [candidate('a')], never)).left).toEqual([]);
    expect(long.made).toEqual(['a new']);
  });
});

it('a token that was new can be premium an hour later, when its liquidity has grown', async () => {
  const liquidity = { usd: 20_000 };
  const markets = sourceOf((path) => ({
    kind: 'answered',
    json: addressesIn(path).map((contract) =>
      pairOf(
        { contract },
        { liquidity, txns: { h1: { buys: 100, sells: 80 }, h24: { buys: 100, sells: 80 } } },
      ),
    ),
  }));
  const { deps, made, reasons } = judging(marketsOf({ markets, orders: noOrders, facts: safe }, now));
  await judgeCandidates(deps, [candidate('a')], never);
  expect(made).toEqual(['a new']);
  expect(reasons).toContain('a premium not_premium');
  liquidity.usd = 60_000;
  await judgeCandidates(deps, [candidate('a')], never);
  expect(made).toEqual(['a new', 'a premium']);
});

it('a candidate that has waited for ten minutes is dropped, unless a list named it again', () => {
  const candidates = new Candidates(0);
  const find = (contract: string) => ({ list: 'dexscreener:boosts', chain: 'base', contract, links: {} });
  for (const contract of ['old', 'again']) candidates.add(find(contract), 0);
  candidates.add(find('again'), 500_000);
  expect(candidates.take(30, 600_001).map(({ contract }) => contract)).toEqual(['again']);
  expect(candidates.size).toBe(0);
});
