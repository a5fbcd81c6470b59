import { eventually } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Followed, type PollerFixture, pollerFixture } from './poller-fixture.ts';

/** The token of a followed signal, where a test does not say otherwise. */
export const token = { mcap: 2_000, liquidity: 800, volume24h: 70 };

/** A fixture of pollers for the tests of a file. What a test leaves behind is removed after the test. */
export function usePollers() {
  let started: PollerFixture | undefined;
  const fixture = (): PollerFixture => {
    if (started === undefined) throw new Error('there is no fixture before the tests run');
    return started;
  };
  beforeAll(async () => {
    started = await pollerFixture();
  });
  // Pollers of the next test would ask about signals that are still followed.
  afterEach(async () => {
    const { market, second, sent, tracked } = fixture();
    for (const source of [market, second]) {
      source.fault = undefined;
      source.requests.length = 0;
    }
    sent.length = 0;
    await tracked.deleteMany();
  });
  afterAll(() => started?.[Symbol.asyncDispose]());
  return {
    /** The fixture, once the tests run. */
    fixture,
    /** Creates so many signals that are followed and due, each with a token at the market. */
    follow: (count: number, more: Parameters<PollerFixture['follow']>[0] = {}): Promise<Followed[]> =>
      Promise.all(Array.from({ length: count }, () => fixture().follow({ token, ...more }))),
    /** Waits until each of these signals was observed and sent so often. */
    sentTo: (ids: readonly string[], times = 1): Promise<void> =>
      eventually(() => {
        const counts = Map.groupBy(fixture().sent, ({ id }) => id);
        for (const id of ids) expect(counts.get(id)?.length ?? 0).toBeGreaterThanOrEqual(times);
      }),
  };
}
