import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MasterBreaker } from '../src/store/master-breaker.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the circuit breaker of a Redis master', () => {
  it('is open until it has recovered once', async () => {
    const breaker = new MasterBreaker(() => Promise.resolve());
    expect(breaker.closed).toBe(false);
    await breaker.tryNow();
    expect(breaker.closed).toBe(true);
    breaker[Symbol.dispose]();
  });

  it('stays closed when many calls fail at the same moment, as after a pause of the process', async () => {
    const breaker = new MasterBreaker(() => Promise.resolve());
    await breaker.tryNow();
    for (let i = 0; i < 100; i += 1) breaker.failed();
    expect(breaker.closed).toBe(true);
    breaker[Symbol.dispose]();
  });

  it('opens after three failures in a row over 250 ms, and not for failures between successes', async () => {
    const breaker = new MasterBreaker(() => Promise.resolve());
    await breaker.tryNow();
    for (let i = 0; i < 5; i += 1) {
      breaker.failed();
      vi.advanceTimersByTime(200);
      breaker.failed();
      breaker.succeeded();
    }
    expect(breaker.closed).toBe(true);
    for (let i = 0; i < 3; i += 1) {
      breaker.failed();
      vi.advanceTimersByTime(125);
    }
    expect(breaker.closed).toBe(false);
    breaker[Symbol.dispose]();
  });

  it('tries to recover once a second while it is open, and closes when that succeeds', async () => {
    let answering = false;
    let tries = 0;
    const breaker = new MasterBreaker(() => {
      tries += 1;
      return answering ? Promise.resolve() : Promise.reject(new Error('unavailable'));
    });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(tries).toBe(3);
    expect(breaker.closed).toBe(false);
    answering = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(breaker.closed).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(tries).toBe(4);
    breaker[Symbol.dispose]();
  });
});
