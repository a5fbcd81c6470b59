import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MasterBreaker } from '../src/store/master-breaker.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the breaker before Redis', () => {
  it('lets nobody ask before it has recovered once', async () => {
    const breaker = new MasterBreaker(() => Promise.resolve());
    expect(breaker.closed).toBe(false);
    await breaker.tryNow();
    expect(breaker.closed).toBe(true);
    breaker[Symbol.dispose]();
  });

  it('stays closed when calls that were under way together are late together', async () => {
    const breaker = new MasterBreaker(() => Promise.resolve());
    await breaker.tryNow();
    for (let i = 0; i < 100; i += 1) breaker.failed();
    expect(breaker.closed).toBe(true);
    breaker[Symbol.dispose]();
  });

  it('opens after a quarter of a second of failures in a row, and not for failures between successes', async () => {
    const breaker = new MasterBreaker(() => Promise.resolve());
    await breaker.tryNow();
    for (let i = 0; i < 5; i += 1) {
      breaker.failed();
      jest.advanceTimersByTime(200);
      breaker.failed();
      breaker.succeeded();
    }
    expect(breaker.closed).toBe(true);
    for (let i = 0; i < 3; i += 1) {
      breaker.failed();
      jest.advanceTimersByTime(125);
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
    await jest.advanceTimersByTimeAsync(3_000);
    expect(tries).toBe(3);
    expect(breaker.closed).toBe(false);
    answering = true;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(breaker.closed).toBe(true);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(tries).toBe(4);
    breaker[Symbol.dispose]();
  });
});
