import type { Realizable } from '@sigcast/contracts';
import {
  addressOf,
  eventually,
  type ServiceProcess,
  spawnService,
  startTcpProxy,
  type TcpProxy,
} from '@sigcast/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Followed } from './poller-fixture.ts';
import { usePollers } from './use-pollers.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const entry = new URL('../src/main-poller.ts', import.meta.url).pathname;
const leaseMs = 4_000;

const pollers = usePollers();
const { fixture } = pollers;
let proxy: TcpProxy;
beforeAll(async () => {
  const { hostname, port } = new URL(fixture().signalsUrl);
  proxy = await startTcpProxy({ host: hostname, port: Number(port) });
});
afterAll(() => proxy[Symbol.asyncDispose]());

/** A poller as a process, whose way to the signals service is the proxy. */
async function startProcess(): Promise<ServiceProcess> {
  const started = spawnService(entry, {
    ...fixture().environment,
    SIGNALS_URL: new URL(proxy.through(fixture().signalsUrl)).origin,
    TRACKER_LEASE_MS: String(leaseMs),
  });
  await addressOf(started);
  return started;
}

/** Old enough for the entry of the exit rule. */
const follow = (count: number) => pollers.follow(count, { created_at: new Date(Date.now() - 120_000) });

const documents = (signals: readonly Followed[]) =>
  Promise.all(signals.map(({ id }) => fixture().trackedOf(id)));

it('signals of a killed poller are asked about by another one as soon as the lease ends', async () => {
  const release = fixture().market.hold();
  const signals = await follow(5);
  await using killed = await startProcess();
  await eventually(() => expect(fixture().market.requests).toHaveLength(1));
  const leased = await documents(signals);
  await killed.kill('SIGKILL');
  release();
  await using _other = fixture().startPoller();
  await eventually(() => expect(fixture().sent).toHaveLength(5));
  const [, second] = fixture().market.requests;
  expect(second?.atMs).toBeGreaterThanOrEqual(
    Math.max(...leased.map(({ due_at }) => due_at?.getTime() ?? 0)),
  );
});

it('what a killed poller had observed and not sent is sent once by another one, and the market is not asked again', async () => {
  proxy.hang();
  const signals = await follow(5);
  await using killed = await startProcess();
  const observed = await eventually(async () => {
    const found = await documents(signals);
    expect(found.filter(({ pending }) => pending !== undefined)).toHaveLength(5);
    return found.map(({ pending }) => {
      const { observed_at, realizable } = pending as { observed_at: Date; realizable: Realizable };
      expect(realizable).toMatchObject({ entered_at: observed_at.toISOString(), exit: null });
      return [observed_at, realizable];
    });
  });
  await killed.kill('SIGKILL');
  proxy.restore();
  await using _other = fixture().startPoller();
  await eventually(async () => {
    for (const { pending } of await documents(signals)) expect(pending).toBeUndefined();
  });
  expect(fixture().sent.map(({ observation }) => [observation.observedAt, observation.realizable])).toEqual(
    observed,
  );
  expect(fixture().market.requests).toHaveLength(1);
  for (const { id } of signals) expect(await fixture().signal(id)).toMatchObject({ rev: 2 });
  expect(await Promise.all(signals.map(({ id }) => fixture().realizable(id)))).toEqual(
    observed.map(([, realizable]) => realizable),
  );
});

it('what a killed poller had sent without knowing the answer changes nothing when another poller sends it again', async () => {
  // The request arrives before its timeout, which is a quarter of the lease. The answer does not.
  proxy.delay(600);
  const signals = await follow(5);
  await using killed = await startProcess();
  await eventually(async () => {
    for (const { id } of signals) expect(await fixture().signal(id)).toMatchObject({ rev: 2 });
  });
  await killed.kill('SIGKILL');
  for (const { pending } of await documents(signals)) expect(pending).toBeDefined();
  proxy.delay(0);
  await using _other = fixture().startPoller();
  await eventually(async () => {
    for (const { pending, lease } of await documents(signals))
      expect([pending, lease]).toEqual([undefined, undefined]);
  });
  expect(fixture().sent).toHaveLength(5);
  for (const { id } of signals) expect(await fixture().signal(id)).toMatchObject({ rev: 2 });
});
