import { expect, it } from 'vitest';
import { CircuitBreaker } from '../src/circuit-breaker.ts';

function breakerAt() {
  const at = { nowMs: 0 };
  const breaker = new CircuitBreaker({ pauseMs: (failures) => 100 * failures, nowMs: () => at.nowMs });
  return { at, breaker };
}

it('after a failure nothing is tried for a pause, which grows with each failure in a row and begins anew after a success', () => {
  const { at, breaker } = breakerAt();
  for (const pauseMs of [100, 200, 300]) {
    breaker.begin()?.failed();
    expect([breaker.pauseLeftMs, breaker.begin()]).toEqual([pauseMs, undefined]);
    at.nowMs += pauseMs - 1;
    expect(breaker.begin()).toBeUndefined();
    at.nowMs += 1;
  }
  expect(breaker.failures).toBe(3);
  breaker.begin()?.succeeded();
  expect(breaker.failures).toBe(0);
  breaker.begin()?.failed();
  expect(breaker.pauseLeftMs).toBe(100);
});

it('a failure that does not grow the pause pauses as long as the one before', () => {
  const { at, breaker } = breakerAt();
  for (const [grows, pauseMs] of [
    [false, 100],
    [false, 100],
    [true, 200],
    [false, 200],
  ] as const) {
    breaker.begin()?.failed(grows);
    expect(breaker.pauseLeftMs).toBe(pauseMs);
    at.nowMs += pauseMs;
  }
});

it('after a pause there is one try at a time, until one succeeds', () => {
  const { at, breaker } = breakerAt();
  breaker.begin()?.failed();
  at.nowMs = 100;
  const alone = breaker.begin();
  expect(breaker.begin()).toBeUndefined();
  alone?.abandoned();
  breaker.begin()?.succeeded();
  expect([breaker.begin(), breaker.begin()]).not.toContain(undefined);
});

it('tries that were under way when another one failed do not count, whether they fail or succeed, not even after a success', () => {
  const { at, breaker } = breakerAt();
  const tries = Array.from({ length: 4 }, () => breaker.begin());
  const last = tries.pop();
  expect(tries.map((one) => one?.failed())).toEqual([true, false, false]);
  expect(breaker.pauseLeftMs).toBe(100);
  at.nowMs = 100;
  breaker.begin()?.succeeded();
  expect([last?.failed(), breaker.failures]).toEqual([false, 0]);
  const { breaker: other } = breakerAt();
  const [late, first] = [other.begin(), other.begin()];
  first?.failed();
  expect([late?.succeeded(), other.failures]).toEqual([false, 1]);
});
