import { eventTopology, type SignalEvent } from '@sigcast/contracts';
import { type Broker, connectBroker, inspectQueue } from '@sigcast/messaging';
import { silentLogger } from '@sigcast/runtime';
import { addressOf, eventually, type ServiceProcess, spawnService, startTcpProxy } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectEvents, openStack, testIdentities } from './fixture.ts';
import { sampleBody } from './samples.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const entry = new URL('../src/main.ts', import.meta.url).pathname;

describe('the service as a process', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let broker: Broker;
  let arrived: SignalEvent[];
  let running: AsyncDisposableStack;
  beforeAll(async () => {
    // Declares nothing, so that only the service does.
    const settings = { urls: [stack.amqpUrl], name: 'signals-test' };
    broker = await connectBroker(settings, silentLogger(), resources);
    arrived = await collectEvents(stack, broker);
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

  it('the service notes a queue that was deleted, and declares it again', async () => {
    const service = spawn({ METRICS_PORT: '0' });
    const url = await addressOf(service);
    const headers = { authorization: `Bearer ${identities.producer}`, 'content-type': 'application/json' };
    const body = JSON.stringify(sampleBody());
    await fetch(`${url}/internal/v1/signals`, { method: 'POST', headers, body });
    await eventually(() => expect(arrived).toHaveLength(1), patient);
    const { queue } = eventTopology(stack.namespace).fanout;
    await broker.withChannel((channel) => channel.deleteQueue(queue));
    const metrics = await addressOf(service, 'metrics');
    await eventually(async () => {
      const shown = await (await fetch(metrics)).text();
      expect(shown).toMatch(new RegExp(`sigcast_queue_lost\\{.*queue="${queue}".*\\} 1`));
    }, patient);
    expect(service.output()).toContain('relay: a queue was lost with its messages');
    await eventually(async () => expect(await inspectQueue(broker, queue)).toBeDefined(), patient);
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
