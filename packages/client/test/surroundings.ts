import { vi } from 'vitest';
import { Sigcast, type SigcastOptions } from '../src/sigcast.ts';
import type { Surroundings } from '../src/transport.ts';

/** A clock that only pauses advance, and the pauses that were asked for. */
export type TestSurroundings = Surroundings & { readonly pausesMs: number[] };

/** Surroundings whose pauses end at once. @param random what `random()` always returns. */
export function testSurroundings(random = 0): TestSurroundings {
  const pausesMs: number[] = [];
  return {
    pausesMs,
    now: () => pausesMs.reduce((sum, ms) => sum + ms, 0),
    random: () => random,
    pause: async (ms, signal) => {
      signal?.throwIfAborted();
      pausesMs.push(ms);
    },
  };
}

/** A client of a scripted server. */
export function testClient(baseUrl: string, options: Partial<SigcastOptions> = {}) {
  const surroundings = testSurroundings();
  return { sigcast: new Sigcast({ apiKey: 'sk_test', baseUrl, ...options }, surroundings), ...surroundings };
}

/** Timeouts pass only by `vi.advanceTimersByTime`, until `vi.useRealTimers`. All else is real, connections too. */
export function fakeTimeouts(): void {
  vi.useFakeTimers({
    toNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
  });
}

/** A fetch that ignores its signal, as Node 20 may after garbage collection. */
export const forgetfulFetch: typeof fetch = (input, init) => {
  const { signal: _forgotten, ...rest } = init ?? {};
  return fetch(input, rest);
};
