import { silentLogger } from '@sigcast/runtime';
import { expect, it } from 'vitest';
import { CircuitBreaker } from '../src/poller/circuit-breaker.ts';

const backoff = { firstMs: 1_000, maxMs: 60_000 };

it('pauses double with each failure in a row up to the longest, and begin anew after a success', () => {
  const breaker = new CircuitBreaker({ log: silentLogger(), backoff, random: () => 1 });
  const pauses = Array.from({ length: 8 }, () => {
    breaker.failed('away', '', breaker.inARow);
    return breaker.takePause();
  });
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect([breaker.open, breaker.takePause()]).toEqual([true, 0]);
  breaker.succeeded(breaker.inARow);
  expect(breaker.open).toBe(false);
  breaker.failed('away', '', 0);
  expect(breaker.takePause()).toBe(1_000);
});

it('pauses are anything from nothing to the longest, so that replicas do not come back together', () => {
  const pauseAt = (share: number) => {
    const breaker = new CircuitBreaker({ log: silentLogger(), backoff, random: () => share });
    breaker.failed('away', '', 0);
    return breaker.takePause();
  };
  expect([0, 0.25, 0.999].map(pauseAt)).toEqual([0, 250, 999]);
});

it('tries that were under way when another one failed count as one failure', () => {
  const breaker = new CircuitBreaker({ log: silentLogger(), backoff, random: () => 1 });
  for (let n = 0; n < 4; n++) breaker.failed('away', '', 0);
  expect([breaker.inARow, breaker.takePause()]).toEqual([1, 1_000]);
});

it('a try that began before another one failed does not close the circuit when it succeeds', () => {
  const breaker = new CircuitBreaker({ log: silentLogger(), backoff, random: () => 1 });
  breaker.failed('away', '', 0);
  breaker.succeeded(0);
  expect([breaker.open, breaker.takePause()]).toEqual([true, 1_000]);
});
