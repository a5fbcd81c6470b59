import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MasterBreaker, MasterBreakers } from '../src/store/master-breakers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Watcher = Parameters<ConstructorParameters<typeof MasterBreakers>[0]['redis']['watchMasters']>[0];

/** Breakers of these masters. A master has the Redis keys that begin with its name. A master in `away` can't recover. */
function masters(...names: string[]) {
  const state = { names, away: new Set<string>(), tried: [] as string[], changes: [] as string[] };
  let watcher: Watcher | undefined;
  const breakers = new MasterBreakers({
    redis: {
      masters: () => state.names,
      masterOf: (key) => state.names.find((name) => key.startsWith(name)),
      check: () => Promise.resolve(),
      watchMasters: (given) => {
        watcher = given;
      },
    },
    recover: async (master) => {
      state.tried.push(master);
      if (state.away.has(master)) throw new Error('unavailable');
    },
    onChange: (master, inUse) => state.changes.push(`${master} ${inUse ? 'in' : 'out'}`),
  });
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return {
    state,
    breakers,
    settle,
    become: async (...others: string[]) => {
      state.names = others;
      watcher?.changed();
      await settle();
    },
    tell: (what: 'ready' | 'lost', master: string) => watcher?.[what](master),
  };
}

describe('the circuit breaker of a Redis master', () => {
  it('is open until it has recovered once, also while it recovers', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const breaker = new MasterBreaker(() => promise);
    const recovered = breaker.tryNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(breaker.closed).toBe(false);
    resolve();
    await recovered;
    expect(breaker.closed).toBe(true);
  });

  it('stays closed when many calls fail at the same moment, as after a pause of the process', async () => {
    const breaker = new MasterBreaker(() => Promise.resolve());
    await breaker.tryNow();
    for (let i = 0; i < 100; i += 1) breaker.failed();
    expect(breaker.closed).toBe(true);
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
  });
});

describe('the circuit breakers of a cluster', () => {
  it('open for a master that fails three times in a row, however often others succeed in between', async () => {
    const { breakers, settle, state } = masters('a', 'b');
    await settle();
    expect(breakers.allClosed).toBe(true);
    state.away.add('a');
    for (let round = 0; round < 3; round += 1) {
      breakers.for('a1')?.failed();
      breakers.for('b1')?.succeeded();
      vi.advanceTimersByTime(125);
    }
    expect(breakers.for('a2')?.closed).toBe(false);
    expect(breakers.for('b2')?.closed).toBe(true);
    expect(breakers).toMatchObject({ allClosed: false, someClosed: true });
    expect(state.changes).toEqual(['a in', 'b in', 'a out']);
    breakers[Symbol.dispose]();
  });

  it('open when the connection to a master is lost, and recover when there is a new one', async () => {
    const { breakers, settle, tell } = masters('a', 'b');
    await settle();
    tell('lost', 'b');
    expect(breakers.for('b1')?.closed).toBe(false);
    tell('ready', 'b');
    await settle();
    expect(breakers.for('b1')?.closed).toBe(true);
    breakers[Symbol.dispose]();
  });

  it('are tried once a second while they are open, and close when that succeeds', async () => {
    const { breakers, settle, tell, state } = masters('a');
    await settle();
    state.away.add('a');
    tell('lost', 'a');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(state.tried).toHaveLength(4);
    expect(breakers.for('a1')?.closed).toBe(false);
    state.away.clear();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(breakers.for('a1')?.closed).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(state.tried).toHaveLength(5);
    breakers[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are open for a replica that becomes master until it has recovered', async () => {
    const { breakers, settle, become, state } = masters('a', 'b');
    await settle();
    state.away.add('c');
    await become('c', 'b');
    expect(breakers.for('c1')?.closed).toBe(false);
    expect(breakers.for('b1')?.closed).toBe(true);
    state.away.clear();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(breakers.for('c1')?.closed).toBe(true);
    // The master that was replaced is not tried any more.
    expect(state.tried.filter((master) => master === 'a')).toHaveLength(1);
    breakers[Symbol.dispose]();
  });

  it('do not exist while no master is known, so that Redis is not asked', () => {
    const { breakers } = masters();
    expect(breakers.for('a1')).toBeUndefined();
    expect(breakers).toMatchObject({ allClosed: false, someClosed: false });
    breakers[Symbol.dispose]();
  });
});
