import { expect, it } from 'vitest';
import { RedisCounters, type RedisCountersOptions } from '../src/store/redis-counters.ts';

it('stamps are no longer known when the master of their account comes into use, and only those', async () => {
  const epochs: Record<string, number> = { a: 1, b: 1 };
  const known: unknown[] = [];
  const counters = new RedisCounters({
    ask: (key: string, work: (key: string) => unknown) => work(key),
    scripts: {
      admitKey: async (_redis: unknown, _keys: unknown, given: readonly unknown[]) => {
        known.push(given.at(-1));
        return [2, 'stamp'];
      },
    },
    epochOf: (key: string) => epochs[key.includes('acct_a') ? 'a' : 'b'],
    windowMs: 60_000,
  } as unknown as RedisCountersOptions);
  const limits = { perMinute: 1, perDay: 1 };
  const stampOf = async (account: string, stamp?: string) => {
    const verdict = await counters.admitKey(account, { stamp, limits, cost: 1 });
    return (verdict as { readonly stamp: string }).stamp;
  };
  const [a, b] = [await stampOf('acct_a'), await stampOf('acct_b')];
  epochs.a = 2;
  await stampOf('acct_a', a);
  await stampOf('acct_b', b);
  expect(known).toEqual(['', '', '', 'stamp']);
});
