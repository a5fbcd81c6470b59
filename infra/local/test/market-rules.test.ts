import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { readThresholds, rulesV1 } from '../../../services/tracker/src/domain/rules/v1.ts';
import { fates, lives, marketAt, newToken } from '../src/market/token.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as object;
const rules = read('../src/market/rules.json');
const applyRules = rulesV1(readThresholds(rules));

it('the rules of the simulated market are the published ones, except for the time that a winner has to last', () => {
  const published = read('../../../services/tracker/src/domain/rules/v1.json') as { winner: object };
  const { sustained_minutes: _minutes, ...winner } = (
    rules as typeof published & { winner: { sustained_minutes: number } }
  ).winner;
  expect({ ...rules, winner: { ...published.winner, ...winner } }).toEqual(published);
});

/** The statuses that a token gets in the demo when it is observed every ten seconds, each with the seconds since its birth. */
function statusesOf(fate: (typeof fates)[number], seed: number) {
  const token = newToken(() => seed / 7, { bornAtMs: 1_750_000_000_000, life: 'minutes', fate });
  const entry = marketAt(token, token.bornAtMs);
  if (!entry) throw new Error('a token has a market at its birth');
  const followed = {
    mcapEntry: entry.mcap,
    liquidityEntry: entry.liquidity,
    createdAt: new Date(token.bornAtMs),
  };
  let status: 'active' | 'winner' | 'dead' | 'rugged' = 'active';
  let state: unknown;
  const statuses: [string, number][] = [];
  for (let afterMs = 3_000; afterMs < 2 * lives.minutes; afterMs += 10_000) {
    const observedAt = new Date(token.bornAtMs + afterMs);
    const market = marketAt(token, observedAt.getTime());
    const observation = market
      ? ({ kind: 'market', observedAt, ...market } as const)
      : ({ kind: 'absent', observedAt } as const);
    const step = applyRules({ ...followed, status }, state, observation);
    state = step.state;
    if (step.decision) {
      status = step.decision.status;
      statuses.push([status, afterMs / 1_000]);
    }
  }
  return statuses;
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
    const statuses = statusesOf(fate, seed);
    expect(statuses.map(([status]) => status)).toEqual(expected);
    // README promises the first winners a minute or two after the start.
    if (expected[0] === 'winner') expect(statuses[0]?.[1]).toBeLessThan(120);
  }
});
