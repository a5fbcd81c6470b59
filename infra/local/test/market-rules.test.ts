import { readFileSync } from 'node:fs';
import { seededRandom } from '@sigcast/runtime';
import { expect, it } from 'vitest';
import { readThresholds, rulesV1 } from '../../../packages/outcomes/src/index.ts';
import { followPosition, realizableOf } from '../../../services/tracker/src/domain/position/exit-rule.ts';
import { fateMix, fates, lives, marketAt, newToken, type Token } from '../src/market/token.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as object;
const rules = read('../src/market/rules.json');
const applyRules = rulesV1(readThresholds(rules));

it('the rules of the simulated market are the published ones, except for the time that a winner has to last', () => {
  const published = read('../../../packages/outcomes/src/v1.json') as { winner: object };
  const { sustained_minutes: _minutes, ...winner } = (
    rules as typeof published & { winner: { sustained_minutes: number } }
  ).winner;
  expect({ ...rules, winner: { ...published.winner, ...winner } }).toEqual(published);
});

const bornAtMs = 1_750_000_000_000;

/**
 * What becomes of a token in the demo when it is observed every ten seconds: its statuses, each with the seconds since its
 * birth, its last return in percent, and the result of the exit rule.
 */
function followed(token: Token) {
  const entry = marketAt(token, token.bornAtMs);
  if (!entry) throw new Error('a token has a market at its birth');
  const signal = {
    mcapEntry: entry.mcap,
    liquidityEntry: entry.liquidity,
    createdAt: new Date(token.bornAtMs),
  };
  let status: 'active' | 'winner' | 'dead' | 'rugged' = 'active';
  let state: unknown;
  let position: ReturnType<typeof followPosition> | undefined;
  let roi = 0;
  const statuses: [string, number][] = [];
  for (let afterMs = 3_000; afterMs < 2 * lives.minutes; afterMs += 10_000) {
    const observedAt = new Date(token.bornAtMs + afterMs);
    const market = marketAt(token, observedAt.getTime());
    const observation = market
      ? ({ kind: 'market', observedAt, ...market } as const)
      : ({ kind: 'absent', observedAt } as const);
    const step = applyRules({ ...signal, status }, state, observation);
    state = step.state;
    if (step.decision) {
      status = step.decision.status;
      statuses.push([status, afterMs / 1_000]);
    }
    const isOver = status === 'dead' || status === 'rugged';
    position = followPosition(signal, position, { observation, isOver });
    if (market) roi = (market.mcap / entry.mcap - 1) * 100;
    if (isOver) break;
  }
  return { statuses, status, roi, realizable: position && realizableOf(position) };
}

it.each([
  ['steady', []],
  ['spike', []],
  ['silent', []],
  ['vanishes', []],
  ['winner', ['winner']],
  ['slow-death', ['dead']],
  ['rug', ['rugged']],
  ['winner-then-rug', ['winner', 'rugged']],
] as const)('in the demo the signal of a token with the fate %s gets the statuses %j', (fate, expected) => {
  expect(fates).toContain(fate);
  for (let seed = 0; seed < 7; seed++) {
    const { statuses } = followed(newToken(() => seed / 7, { bornAtMs, life: 'minutes', fate }));
    expect(statuses.map(([status]) => status)).toEqual(expected);
    // README promises the first winners a minute or two after the start.
    if (expected[0] === 'winner') expect(statuses[0]?.[1]).toBeLessThan(120);
  }
});

it('the simulated market comes to what docs/figures.md publishes: statuses, returns, and how the exit rule sold', () => {
  const random = seededRandom(3);
  const count = 3_000;
  const all = Array.from({ length: count }, () => followed(newToken(random, { bornAtMs, life: 'minutes' })));
  const percentOf = (passes: (one: (typeof all)[number]) => boolean) =>
    (100 * all.filter(passes).length) / count;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const near = (percent: number) => ({ from: percent - 2, to: percent + 2 });
  const published = {
    active: [percentOf(({ status }) => status === 'active'), near(50)],
    winner: [percentOf(({ status }) => status === 'winner'), near(16)],
    dead: [percentOf(({ status }) => status === 'dead'), near(22)],
    rugged: [percentOf(({ status }) => status === 'rugged'), near(12)],
    target: [percentOf(({ realizable }) => realizable?.exit === 'target'), near(16)],
    stop: [percentOf(({ realizable }) => realizable?.exit === 'stop'), near(39)],
    roi: [mean(all.map(({ roi }) => roi)), near(-5)],
    realized: [mean(all.flatMap(({ realizable }) => realizable?.roi ?? [])), near(-15)],
  } as const;
  for (const [name, [figure, { from, to }]] of Object.entries(published)) {
    expect({ name, figure, fits: figure >= from && figure <= to }).toEqual({ name, figure, fits: true });
  }
  expect(all.filter(({ status, roi }) => status === 'winner' && roi < 0)).toEqual([]);
  expect(Object.values(fateMix).reduce((sum, each) => sum + each, 0)).toBe(100);
});
