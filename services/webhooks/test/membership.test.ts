import { expect, it } from 'vitest';
import { Membership, memberLeaseMs, type WorkerRegistry } from '../src/domain/membership.ts';

/** A store with its own clock, which may be unavailable, and workers whose clocks started at different times. */
function registryHarness() {
  const leases = new Map<string, number>();
  const reclaimed: string[] = [];
  const leaving = new Set<string>();
  let nowMs = 1_000_000;
  let unavailable = false;
  let answerMs = 0;
  const available = () => (unavailable ? Promise.reject(new Error('unavailable')) : Promise.resolve());
  const registry: WorkerRegistry = {
    renew: async (member, { isNew }) => {
      await available();
      nowMs += answerMs;
      if (!isNew && !leases.has(member)) return { renewed: false, nowMs };
      leases.set(member, nowMs + memberLeaseMs);
      return { renewed: true, nowMs };
    },
    members: async () => {
      await available();
      return [...leases].map(([id, untilMs]) => ({ id, untilMs, leaving: leaving.has(id) }));
    },
    reclaim: async ({ id }) => {
      await available();
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
    setUnavailable: (is: boolean) => {
      unavailable = is;
    },
    /** Sets how long each answer takes. */
    setAnswerMs: (ms: number) => {
      answerMs = ms;
    },
    /** Lets time pass. Each of these workers has a heartbeat every two seconds. */
    pass: async (seconds: number, beating: readonly Membership[]) => {
      for (let n = 0; n < seconds; n += 2) {
        nowMs += 2_000;
        await Promise.allSettled(beating.map((member) => member.heartbeat()));
      }
    },
    now: () => nowMs,
  };
}

const subscriptions = Array.from({ length: 1_000 }, (_, n) => `wh_${n}`);

it('live workers agree who owns each subscription, share them evenly, and move only the share of a worker that joins', async () => {
  const harness = registryHarness();
  const [a, b, c] = [harness.worker(0), harness.worker(20_000), harness.worker(-20_000)];
  await harness.pass(2, [a]);
  await harness.pass(2, [a, b]);
  // The new worker owns nothing until the other one has seen it.
  for (const id of subscriptions) expect([a, b].filter((one) => one.owns(id)).length).toBeLessThan(2);
  await harness.pass(4, [a, b]);
  const before = subscriptions.filter((id) => a.owns(id));
  for (const id of subscriptions) expect(a.owns(id)).toBe(!b.owns(id));
  expect(before.length).toBeGreaterThan(400);
  expect(before.length).toBeLessThan(600);
  await harness.pass(2, [a, b, c]);
  for (const id of subscriptions) expect([a, b, c].filter((one) => one.owns(id)).length).toBeLessThan(2);
  await harness.pass(4, [a, b, c]);
  for (const id of subscriptions) expect([a, b, c].filter((one) => one.owns(id))).toHaveLength(1);
  const after = new Set(subscriptions.filter((id) => a.owns(id)));
  expect([...after].every((id) => before.includes(id))).toBe(true);
});

it('a worker is not alone while another one is leaving, which may still make lanes due', async () => {
  const harness = registryHarness();
  const [a, b] = [harness.worker(0), harness.worker(0)];
  await harness.pass(2, [a, b]);
  await b.retire();
  await harness.pass(2, [a]);
  expect(a.alone).toBe(false);
  await b.leave();
  await harness.pass(2, [a]);
  expect(a.alone).toBe(true);
});

it('live workers know the store’s time, whatever their own clocks say', async () => {
  const harness = registryHarness();
  const workers = [harness.worker(0), harness.worker(20_000)];
  await harness.pass(2, workers);
  expect(workers.map((one) => one.nowMs())).toEqual([harness.now(), harness.now()]);
});

it('live workers reclaim the deliveries of a dead one once its lease has expired, and take its share', async () => {
  const harness = registryHarness();
  const [a, b] = [harness.worker(0), harness.worker(0)];
  await harness.pass(memberLeaseMs / 1_000 + 4, [a, b]);
  await harness.pass(8, [a]);
  expect(harness.reclaimed).toEqual([]);
  await harness.pass(4, [a]);
  expect(harness.reclaimed).toEqual([b.id]);
  for (const id of subscriptions) expect(a.owns(id)).toBe(true);
});

it('live workers take nobody for dead because the store was unavailable', async () => {
  const harness = registryHarness();
  const [a, b] = [harness.worker(0), harness.worker(0)];
  await harness.pass(20, [a, b]);
  harness.setUnavailable(true);
  await harness.pass(60, [a, b]);
  expect([a.alive, b.alive]).toEqual([false, false]);
  harness.setUnavailable(false);
  // One of them is back first.
  await harness.pass(4, [a]);
  await harness.pass(20, [a, b]);
  expect([harness.reclaimed, harness.expired]).toEqual([[], []]);
  expect([a.alive, b.alive]).toEqual([true, true]);
});

it('a worker reclaims at once the deliveries of the process that had its name before', async () => {
  const harness = registryHarness();
  const before = harness.worker(0, 'host:8084');
  const [after, elsewhere] = [harness.worker(0, 'host:8084'), harness.worker(0, 'host:80845')];
  await before.join();
  await elsewhere.join();
  await after.join();
  expect(harness.reclaimed).toEqual([before.id]);
  await harness.pass(4, [after, elsewhere]);
  for (const id of subscriptions) expect(after.owns(id)).toBe(!elsewhere.owns(id));
});

it('live workers take nobody for dead because the store kept them waiting', async () => {
  const harness = registryHarness();
  const [a, b] = [harness.worker(0), harness.worker(0)];
  await harness.pass(20, [a, b]);
  harness.setAnswerMs(memberLeaseMs + 1_000);
  await a.heartbeat();
  harness.setAnswerMs(0);
  await a.heartbeat();
  expect(harness.reclaimed).toEqual([]);
  await harness.pass(20, [a, b]);
  expect([harness.reclaimed, harness.expired]).toEqual([[], []]);
});

it('live workers leave their shares to the others before they end', async () => {
  const harness = registryHarness();
  const [a, b] = [harness.worker(0), harness.worker(0)];
  await harness.pass(8, [a, b]);
  await b.retire();
  await harness.pass(2, [a, b]);
  for (const id of subscriptions) expect([a.owns(id), b.owns(id)]).toEqual([true, false]);
  expect(b.alive).toBe(true);
  await b.leave();
  await harness.pass(20, [a]);
  expect(harness.reclaimed).toEqual([]);
});

it('a worker that was taken for dead goes on under a new name', async () => {
  const harness = registryHarness();
  const [a, b] = [harness.worker(0), harness.worker(0)];
  await harness.pass(14, [a, b]);
  const name = b.id;
  await harness.pass(14, [a]);
  expect(harness.reclaimed).toEqual([name]);
  await harness.pass(6, [a, b]);
  expect(harness.expired).toHaveLength(1);
  expect(b.id).not.toBe(name);
  for (const id of subscriptions) expect(a.owns(id)).toBe(!b.owns(id));
});
