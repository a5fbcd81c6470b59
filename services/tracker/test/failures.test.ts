import { expect, it } from '@jest/globals';
import { silentLogger } from '@sigcast/runtime';
import { Failures } from '../src/poller/failures.ts';

const backoff = { firstMs: 1_000, maxMs: 60_000 };

it('pauses double with each failure in a row up to the longest, and begin anew after a success', () => {
  const failures = new Failures({ log: silentLogger(), backoff, random: () => 1 });
  const pauses = Array.from({ length: 8 }, () => {
    failures.failed('away', '', failures.inARow);
    return failures.takePause();
  });
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect([failures.open, failures.takePause()]).toEqual([true, 0]);
  failures.succeeded(failures.inARow);
  expect(failures.open).toBe(false);
  failures.failed('away', '', 0);
  expect(failures.takePause()).toBe(1_000);
});

it('pauses are anything from nothing to the longest, so that replicas do not come back together', () => {
  const pauseAt = (share: number) => {
    const failures = new Failures({ log: silentLogger(), backoff, random: () => share });
    failures.failed('away', '', 0);
    return failures.takePause();
  };
  expect([0, 0.25, 0.999].map(pauseAt)).toEqual([0, 250, 999]);
});

it('tries that were under way when another one failed count as one failure', () => {
  const failures = new Failures({ log: silentLogger(), backoff, random: () => 1 });
  for (let n = 0; n < 4; n++) failures.failed('away', '', 0);
  expect([failures.inARow, failures.takePause()]).toEqual([1, 1_000]);
});

it('a try that began before another one failed does not end the failures when it succeeds', () => {
  const failures = new Failures({ log: silentLogger(), backoff, random: () => 1 });
  failures.failed('away', '', 0);
  failures.succeeded(0);
  expect([failures.open, failures.takePause()]).toEqual([true, 1_000]);
});
