import { describe, expect, it } from '@jest/globals';
import { Membership, memberLeaseMs, type Registry } from '../src/domain/membership.ts';

/** A store with a clock of its own, which may be away, and workers whose clocks started at other times. */
function house() {
  const leases = new Map<string, number>();
  const reclaimed: string[] = [];
  const leaving = new Set<string>();
  let nowMs = 1_000_000;
  let away = false;
  let answerMs = 0;
  const there = () => (away ? Promise.reject(new Error('away')) : Promise.resolve());
  const registry: Registry = {
    renew: async (member, { isNew }) => {
      await there();
      nowMs += answerMs;
      if (!isNew && !leases.has(member)) return { renewed: false, nowMs };
      leases.set(member, nowMs + memberLeaseMs);
      return { renewed: true, nowMs };
    },
    members: async () => {
      await there();
      return [...leases].map(([id, untilMs]) => ({ id, untilMs, leaving: leaving.has(id) }));
    },
    reclaim: async ({ id }) => {
      await there();
      reclaimed.push(id);
      leases.delete(id);
    },
    retire: async (member) => {
      leaving.add(member);
    },
    remove: async (member) => {
      leases.delete(member);
    },
  };
  let made = 0;
  const expired: string[] = [];
  const worker = (clockOffsetMs: number, name = `host-${made}`): Membership => {
    const member: Membership = new Membership({
      registry,
      name,
      newId: () => {
        made += 1;
        return `wrk_${made}`;
      },
      monotonicMs: () => nowMs - 1_000_000 + clockOffsetMs,
      onExpired: () => expired.push(member.id),
      onReclaimed: () => undefined,
    });
    return member;
  };
  return {
    worker,
    reclaimed,
    expired,
    setAway: (is: boolean) => {
      away = is;
    },
    /** The next answers take so long. */
    setAnswerMs: (ms: number) => {
      answerMs = ms;
    },
    /** Lets time pass, in which these workers beat every two seconds. */
    pass: async (seconds: number, beating: readonly Membership[]) => {
      for (let n = 0; n < seconds; n += 2) {
        nowMs += 2_000;
        await Promise.allSettled(beating.map((member) => member.beat()));
      }
    },
    now: () => nowMs,
  };
}

const subscriptions = Array.from({ length: 1_000 }, (_, n) => `wh_${n}`);

describe('the workers that live', () => {
  it('agree whose each subscription is, share them out evenly, and move only the share of one that comes', async () => {
    const h = house();
    const [a, b, c] = [h.worker(0), h.worker(20_000), h.worker(-20_000)];
    await h.pass(2, [a]);
    await h.pass(2, [a, b]);
    // The one that has come leaves the other's share alone until that has seen it.
    for (const id of subscriptions) expect([a, b].filter((one) => one.owns(id)).length).toBeLessThan(2);
    await h.pass(4, [a, b]);
    const before = subscriptions.filter((id) => a.owns(id));
    for (const id of subscriptions) expect(a.owns(id)).toBe(!b.owns(id));
    expect(before.length).toBeGreaterThan(400);
    expect(before.length).toBeLessThan(600);
    await h.pass(2, [a, b, c]);
    for (const id of subscriptions) expect([a, b, c].filter((one) => one.owns(id)).length).toBeLessThan(2);
    await h.pass(4, [a, b, c]);
    for (const id of subscriptions) expect([a, b, c].filter((one) => one.owns(id))).toHaveLength(1);
    const after = new Set(subscriptions.filter((id) => a.owns(id)));
    expect([...after].every((id) => before.includes(id))).toBe(true);
  });

  it('tell the store’s time, whatever their own clocks say', async () => {
    const h = house();
    const workers = [h.worker(0), h.worker(20_000)];
    await h.pass(2, workers);
    expect(workers.map((one) => one.nowMs())).toEqual([h.now(), h.now()]);
  });

  it('give back what a dead one had in hand once its lease is over, and take its share', async () => {
    const h = house();
    const [a, b] = [h.worker(0), h.worker(0)];
    await h.pass(memberLeaseMs / 1_000 + 4, [a, b]);
    await h.pass(8, [a]);
    expect(h.reclaimed).toEqual([]);
    await h.pass(4, [a]);
    expect(h.reclaimed).toEqual([b.id]);
    for (const id of subscriptions) expect(a.owns(id)).toBe(true);
  });

  it('take nobody for dead because the store was away', async () => {
    const h = house();
    const [a, b] = [h.worker(0), h.worker(0)];
    await h.pass(20, [a, b]);
    h.setAway(true);
    await h.pass(60, [a, b]);
    expect([a.alive, b.alive]).toEqual([false, false]);
    h.setAway(false);
    // One of them is back first.
    await h.pass(4, [a]);
    await h.pass(20, [a, b]);
    expect([h.reclaimed, h.expired]).toEqual([[], []]);
    expect([a.alive, b.alive]).toEqual([true, true]);
  });

  it('give back at once what a process had in hand whose place they take', async () => {
    const h = house();
    const before = h.worker(0, 'host:8084');
    const [after, elsewhere] = [h.worker(0, 'host:8084'), h.worker(0, 'host:80845')];
    await before.join();
    await elsewhere.join();
    await after.join();
    expect(h.reclaimed).toEqual([before.id]);
    await h.pass(4, [after, elsewhere]);
    for (const id of subscriptions) expect(after.owns(id)).toBe(!elsewhere.owns(id));
  });

  it('take nobody for dead because the store kept them waiting', async () => {
    const h = house();
    const [a, b] = [h.worker(0), h.worker(0)];
    await h.pass(20, [a, b]);
    h.setAnswerMs(memberLeaseMs + 1_000);
    await a.beat();
    h.setAnswerMs(0);
    await a.beat();
    expect(h.reclaimed).toEqual([]);
    await h.pass(20, [a, b]);
    expect([h.reclaimed, h.expired]).toEqual([[], []]);
  });

  it('leave their shares to the others before they end', async () => {
    const h = house();
    const [a, b] = [h.worker(0), h.worker(0)];
    await h.pass(8, [a, b]);
    await b.retire();
    await h.pass(2, [a, b]);
    for (const id of subscriptions) expect([a.owns(id), b.owns(id)]).toEqual([true, false]);
    expect(b.alive).toBe(true);
    await b.leave();
    await h.pass(20, [a]);
    expect(h.reclaimed).toEqual([]);
  });

  it('take part under a new name after they were taken for dead', async () => {
    const h = house();
    const [a, b] = [h.worker(0), h.worker(0)];
    await h.pass(14, [a, b]);
    const name = b.id;
    await h.pass(14, [a]);
    expect(h.reclaimed).toEqual([name]);
    await h.pass(6, [a, b]);
    expect(h.expired).toHaveLength(1);
    expect(b.id).not.toBe(name);
    for (const id of subscriptions) expect(a.owns(id)).toBe(!b.owns(id));
  });
});
