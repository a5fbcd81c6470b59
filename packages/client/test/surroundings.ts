import { Sigcast, type SigcastOptions } from '../src/sigcast.ts';
import type { Surroundings } from '../src/transport.ts';

/** A clock that only pauses move, and the pauses that were asked for. */
export type TestSurroundings = Surroundings & { readonly pausesMs: number[] };

/** Pauses end at once. @param random what chance always says. */
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

/** Does not abort. */
export const forgetfulFetch: typeof fetch = (input, init) => {
  const { signal: _forgotten, ...rest } = init ?? {};
  return fetch(input, rest);
};
