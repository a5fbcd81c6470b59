import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { OpenStreams } from '../src/proxy/open-streams.ts';
import { watchStreams } from '../src/proxy/stream-watch.ts';

const principal = { account: 'acct', keySha256: 'x' };

/** A watch of one open stream, whose looks take so long and see what was so when they began. */
async function watched(scope: AsyncDisposableStack, lookMs: number) {
  const none = { acquire: () => Promise.resolve(true), release: () => Promise.resolve() };
  const slots = { ...none, renew: () => Promise.resolve() };
  const streams = new OpenStreams(slots, { perAccount: 1, perAddress: 1 });
  const looks: { beganAt: number; endedAt: number }[] = [];
  const state = { begun: 0, revoked: false, ended: false };
  const slot = await streams.acquire(principal, '');
  slot.begin(() => {
    state.ended = true;
  });
  const validUntilMs = async () => {
    const beganAt = performance.now();
    state.begun += 1;
    const untilMs = state.revoked ? 0 : undefined;
    await delay(lookMs);
    looks.push({ beganAt, endedAt: performance.now() });
    return [untilMs];
  };
  const deps = { streams, principals: { validUntilMs }, slots, clock: Date.now, log: silentLogger() };
  watchStreams(deps, scope);
  return { state, looks };
}

describe('the watch of open streams', () => {
  it('ends a stream at the first look that begins after the change', async () => {
    await using scope = new AsyncDisposableStack();
    const { state, looks } = await watched(scope, 50);
    // Between the beginning of a look and its end: that one can't know.
    await eventually(() => expect(state.begun).toBe(looks.length + 1), { everyMs: 5 });
    const before = state.begun;
    state.revoked = true;
    await eventually(() => expect(looks.length).toBe(before), { everyMs: 5 });
    expect(state.ended).toBe(false);
    await eventually(() => expect(state.ended).toBe(true), { everyMs: 5 });
    expect(state.begun).toBe(before + 1);
  });

  it.each([1, 150])('pauses 250 ms after a look, or four times what it took, of %d ms', async (lookMs) => {
    await using scope = new AsyncDisposableStack();
    const { looks } = await watched(scope, lookMs);
    await eventually(() => expect(looks.length).toBeGreaterThan(1));
    const [first, second] = looks;
    const pauseMs = (second?.beganAt ?? 0) - (first?.endedAt ?? 0);
    const tookMs = (first?.endedAt ?? 0) - (first?.beganAt ?? 0);
    // Timers are exact to 1 ms.
    expect(pauseMs).toBeGreaterThan(Math.max(250, 4 * tookMs) - 2);
  });
});
