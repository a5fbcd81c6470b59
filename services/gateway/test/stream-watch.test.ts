import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import { OpenStreams } from '../src/proxy/open-streams.ts';
import { watchStreams } from '../src/proxy/stream-watch.ts';

const principal = { account: 'acct', keySha256: 'x', use: { scope: undefined, from: '203.0.113.1' } };

/** Watches one open stream. Each check takes `checkMs` and sees the state in which it began. */
async function watched(scope: AsyncDisposableStack, checkMs: number) {
  const none = { acquire: () => Promise.resolve(true), release: () => Promise.resolve() };
  const slots = { ...none, renew: () => Promise.resolve() };
  const streams = new OpenStreams(slots, { perAddress: 1 });
  const checks: { startedAt: number; endedAt: number }[] = [];
  const state = { started: 0, revoked: false, ended: false };
  const slot = await streams.acquire(principal, '', 1);
  slot.begin(() => {
    state.ended = true;
  });
  const validUntilMs = async () => {
    const startedAt = performance.now();
    state.started += 1;
    const untilMs = state.revoked ? 0 : undefined;
    await delay(checkMs);
    checks.push({ startedAt, endedAt: performance.now() });
    return [untilMs];
  };
  const deps = { streams, principals: { validUntilMs }, slots, clock: Date.now, log: silentLogger() };
  watchStreams(deps, scope);
  return { state, checks };
}

describe('the watch of open streams', () => {
  it('ends a stream at the first check that begins after the change', async () => {
    await using scope = new AsyncDisposableStack();
    const { state, checks } = await watched(scope, 50);
    // A check is under way: it began before the change and does not see it.
    await eventually(() => expect(state.started).toBe(checks.length + 1), { everyMs: 5 });
    const before = state.started;
    state.revoked = true;
    await eventually(() => expect(checks.length).toBe(before), { everyMs: 5 });
    expect(state.ended).toBe(false);
    await eventually(() => expect(state.ended).toBe(true), { everyMs: 5 });
    expect(state.started).toBe(before + 1);
  });

  it.each([1, 150])(
    'pauses 250 ms after a check of %d ms, or four times as long as the check took',
    async (checkMs) => {
      await using scope = new AsyncDisposableStack();
      const { checks } = await watched(scope, checkMs);
      await eventually(() => expect(checks.length).toBeGreaterThan(1));
      const [first, second] = checks;
      const pauseMs = (second?.startedAt ?? 0) - (first?.endedAt ?? 0);
      const tookMs = (first?.endedAt ?? 0) - (first?.startedAt ?? 0);
      // Timers are exact to 1 ms.
      expect(pauseMs).toBeGreaterThan(Math.max(250, 4 * tookMs) - 2);
    },
  );
});
