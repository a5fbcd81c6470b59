import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import type { Realizable } from '@sigcast/contracts';
import {
  eventually,
  type ServiceProcess,
  spawnService,
  startTcpProxy,
  type TcpProxy,
} from '@sigcast/testing';
import { type Followed, type PollerFixture, pollerFixture } from './poller-fixture.ts';

jest.setTimeout(60_000);

const entry = new URL('../src/main-poller.ts', import.meta.url).pathname;
const leaseMs = 4_000;
const token = { mcap: 2_000, liquidity: 800, volume24h: 70 };

let f: PollerFixture;
let proxy: TcpProxy;
beforeAll(async () => {
  f = await pollerFixture();
  const { hostname, port } = new URL(f.signalsUrl);
  proxy = await startTcpProxy({ host: hostname, port: Number(port) });
});
afterEach(async () => {
  f.market.requests.length = 0;
  f.sent.length = 0;
  await f.tracked.deleteMany();
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await f[Symbol.asyncDispose]();
});

/** A poller as a process, whose way to the signals service is the proxy. */
const startProcess = (): ServiceProcess =>
  spawnService(entry, {
    ...f.environment,
    SIGNALS_URL: new URL(proxy.through(f.signalsUrl)).origin,
    TRACKER_LEASE_MS: String(leaseMs),
  });

/** Old enough for the entry of the exit rule. */
const follow = (count: number) => {
  const created_at = new Date(Date.now() - 120_000);
  return Promise.all(Array.from({ length: count }, () => f.follow({ token, created_at })));
};

const documents = (signals: readonly Followed[]) => Promise.all(signals.map(({ id }) => f.trackedOf(id)));

it('signals of a killed poller are asked about by another one as soon as the lease ends', async () => {
  const release = f.market.hold();
  const signals = await follow(5);
  await using killed = startProcess();
  await eventually(() => expect(f.market.requests).toHaveLength(1));
  const leased = await documents(signals);
  await killed.kill('SIGKILL');
  release();
  await using _other = f.startPoller();
  await eventually(() => expect(f.sent).toHaveLength(5));
  const [, second] = f.market.requests;
  expect(second?.atMs).toBeGreaterThanOrEqual(
    Math.max(...leased.map(({ due_at }) => due_at?.getTime() ?? 0)),
  );
});

it('what a killed poller had observed and not sent is sent once by another one, and the market is not asked again', async () => {
  proxy.hang();
  const signals = await follow(5);
  await using killed = startProcess();
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
  await using _other = f.startPoller();
  await eventually(async () => {
    for (const { pending } of await documents(signals)) expect(pending).toBeUndefined();
  });
  expect(f.sent.map(({ observation }) => [observation.observedAt, observation.realizable])).toEqual(observed);
  expect(f.market.requests).toHaveLength(1);
  for (const { id } of signals) expect(await f.signal(id)).toMatchObject({ rev: 2 });
  expect(await Promise.all(signals.map(({ id }) => f.realizable(id)))).toEqual(
    observed.map(([, realizable]) => realizable),
  );
});

it('what the service took of a poller that was killed before it knew, changes nothing when another one sends it again', async () => {
  // Less than the timeout of a request, a quarter of the lease, and with the answer more.
  proxy.delay(600);
  const signals = await follow(5);
  await using killed = startProcess();
  await eventually(async () => {
    for (const { id } of signals) expect(await f.signal(id)).toMatchObject({ rev: 2 });
  });
  await killed.kill('SIGKILL');
  for (const { pending } of await documents(signals)) expect(pending).toBeDefined();
  proxy.delay(0);
  await using _other = f.startPoller();
  await eventually(async () => {
    for (const { pending, lease } of await documents(signals))
      expect([pending, lease]).toEqual([undefined, undefined]);
  });
  expect(f.sent).toHaveLength(5);
  for (const { id } of signals) expect(await f.signal(id)).toMatchObject({ rev: 2 });
});
