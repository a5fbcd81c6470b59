import type { SignalDetail, SignalEvent } from '@sigcast/contracts';
import { eventually, type ServiceProcess, spawnService, startTcpProxy } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectEvents, openBroker, openStack, testIdentities } from './fixture.ts';
import { sampleBody } from './samples.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const entry = new URL('../src/main.ts', import.meta.url).pathname;

describe('the service as a process', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let arrived: SignalEvent[];
  let running: AsyncDisposableStack;
  beforeAll(async () => {
    arrived = await collectEvents(stack, await openBroker(stack, resources));
  });
  beforeEach(() => {
    running = new AsyncDisposableStack();
  });
  afterEach(() => running.disposeAsync());
  afterAll(close);

  const spawn = (settings: Readonly<Record<string, string>> = {}): ServiceProcess =>
    running.use(
      spawnService(entry, {
        MONGODB_URI: stack.mongodbUri,
        MONGODB_DATABASE: stack.database('signals'),
        AMQP_URL: stack.amqpUrl,
        BROKER_NAMESPACE: stack.namespace,
        GATEWAY_PUBLIC_KEYS: identities.gatewayPublicKey,
        OPERATOR_PUBLIC_KEYS: identities.operatorPublicKey,
        PORT: '0',
        ...settings,
      }),
    );

  /** Starting processes and thousands of events take a busy machine seconds. */
  const patient = { timeoutMs: 60_000 };

  const addressOf = (service: ServiceProcess) =>
    eventually(() => {
      const url = /"url":"(http:[^"]+)"/.exec(service.output())?.[1];
      if (!url) throw new Error(`not listening: ${service.output()}`);
      return url;
    }, patient);

  const send = (
    url: string,
    path: string,
    type: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    fetch(`${url}/internal/v1/signals${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${identities.producer}`, 'content-type': type, ...headers },
      body,
    });
  const create = async (url: string) => {
    const response = await send(url, '', 'application/json', JSON.stringify(sampleBody()));
    expect(response.status).toBe(201);
    return ((await response.json()) as { data: SignalDetail }).data;
  };
  const eventsOf = (id: string) => arrived.filter(({ data }) => data.id === id);

  it('a service killed before it published an event publishes it when it runs again', async () => {
    const { hostname, port } = new URL(stack.amqpUrl);
    await using proxy = await startTcpProxy({ host: hostname, port: Number(port) });
    proxy.refuse();
    const first = spawn({ AMQP_URL: proxy.through(stack.amqpUrl) });
    const created = await create(await addressOf(first));
    await first.kill('SIGKILL');
    expect(eventsOf(created.id)).toEqual([]);

    const second = spawn();
    await addressOf(second);
    // The event may come twice under one id, because the service fills new queues from the archive.
    await eventually(() => expect(eventsOf(created.id)[0]).toMatchObject({ rev: 1, data: created }));
    expect(new Set(eventsOf(created.id).map(({ id }) => id)).size).toBe(1);
  });

  it('a service killed as soon as it has answered has lost nothing that it answered for', async () => {
    const created: SignalDetail[] = [];
    for (let round = 0; round < 3; round++) {
      const service = spawn();
      const url = await addressOf(service);
      created.push(...(await Promise.all(Array.from({ length: 20 }, () => create(url)))));
      await service.kill('SIGKILL');
    }
    await addressOf(spawn());
    await eventually(() => {
      for (const signal of created) {
        const events = eventsOf(signal.id);
        expect(events[0]?.data).toEqual(signal);
        expect(new Set(events.map(({ id }) => id)).size).toBe(1);
      }
    });
  });

  it('three replicas, one of which is killed under load, lose nothing that they answered for', async () => {
    const replicas = [spawn(), spawn(), spawn()];
    const urls = await Promise.all(replicas.map(addressOf));
    const created: SignalDetail[] = [];
    const write = async (url: string) => {
      for (let n = 0; n < 40; n++) created.push(await create(url));
    };
    const [doomed, ...others] = urls.map((url) => [write(url), write(url)]);
    const cut = Promise.allSettled(doomed ?? []);
    await eventually(() => expect(created.length).toBeGreaterThan(30), { everyMs: 1 });
    await replicas[0]?.kill('SIGKILL');
    await Promise.all([cut, ...others.flat()]);
    await eventually(() => {
      const heard = new Set(arrived.map(({ data }) => data.id));
      expect(created.filter(({ id }) => !heard.has(id))).toEqual([]);
    }, patient);
  });

  it('an import interrupted by a kill is completed when it is sent again', async () => {
    const lines = Array.from({ length: 6_000 }, (_, n) => JSON.stringify(sampleBody({ name: `crash ${n}` })));
    const headers = { 'idempotency-key': 'crash' };
    const first = spawn();
    const url = await addressOf(first);
    const cut = send(url, '/import', 'application/x-ndjson', lines.join('\n'), headers).catch(
      () => undefined,
    );
    await eventually(() => {
      if (!arrived.some(({ data }) => data.token.name.startsWith('crash '))) throw new Error('not begun');
    });
    await first.kill('SIGKILL');
    expect(await cut).toBeUndefined();

    const again = await addressOf(spawn());
    const response = await send(again, '/import', 'application/x-ndjson', lines.join('\n'), headers);
    const { data } = (await response.json()) as { data: Record<string, number> };
    expect(data).toMatchObject({ received: 6_000, failed: 0 });
    expect(data.duplicates).toBeGreaterThan(0);
    await eventually(() => {
      const events = arrived.filter(({ data: signal }) => signal.token.name.startsWith('crash '));
      expect(new Set(events.map(({ data: signal }) => signal.token.name)).size).toBe(6_000);
      expect(new Set(events.map(({ data: signal }) => signal.id)).size).toBe(6_000);
    }, patient);
  });

  it('the service stops cleanly on SIGTERM', async () => {
    const service = spawn();
    await create(await addressOf(service));
    await service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });

  it('the service serves without the broker, and its readiness says so', async () => {
    const service = spawn({ AMQP_URL: 'amqp://127.0.0.1:1' });
    const response = await fetch(`${await addressOf(service)}/readyz`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ready', checks: { mongodb: 'ok', broker: 'failing' } });
  });

  it('a service whose password the broker refuses says so once, is not ready, and never shows the password', async () => {
    const password = 'wrong-pa55word';
    const url = new URL(stack.amqpUrl);
    url.password = password;
    await using proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
    const service = spawn({ AMQP_URL: proxy.through(url.href), LOG_LEVEL: 'trace' });
    const address = await addressOf(service);
    await eventually(async () => {
      const ready = await fetch(`${address}/readyz`);
      expect(ready.status).toBe(503);
      expect(await ready.json()).toEqual({
        status: 'not ready',
        checks: { mongodb: 'ok', broker: 'failing' },
      });
    }, patient);
    // The service goes on trying.
    await eventually(() => expect(proxy.made).toBeGreaterThanOrEqual(6), patient);
    expect(service.output().match(/user or password refused/g)).toHaveLength(1);
    expect(service.output()).toContain(`"host":"127.0.0.1:${proxy.port}","user":"${url.username}"`);
    expect(service.output()).not.toContain(password);
    expect(service.output()).not.toContain('amqp://');
  });

  it('a service with wrong settings names every one of them and ends', async () => {
    const service = spawn({ PORT: 'http', AMQP_URL: 'redis://x', OPERATOR_PUBLIC_KEYS: '' });
    expect(await service.exited).toBe(78);
    for (const name of ['PORT', 'AMQP_URL', 'OPERATOR_PUBLIC_KEYS']) expect(service.output()).toContain(name);
  });
});
