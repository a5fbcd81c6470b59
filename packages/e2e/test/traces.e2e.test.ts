import {
  type CollectedSpan,
  type Collector,
  eventually,
  type Receiver,
  startCollector,
  startReceiver,
  startTcpProxy,
  type TcpProxy,
  testStack,
} from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSignal, type TestSystem, testSystem } from './system.ts';

/** A producer's own trace, which it asks to be recorded. */
const producer = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const patient = { timeoutMs: 45_000, everyMs: 100 };
/** The timeout of a test; no test needs it unless something hangs. */
const hangs = 120_000;

let collector: Collector;
let receiver: Receiver;
let broker: TcpProxy;
let system: TestSystem;

beforeAll(async () => {
  collector = await startCollector();
  receiver = await startReceiver();
  const stack = testStack();
  const { hostname, port } = new URL(stack.amqpUrl);
  broker = await startTcpProxy({ host: hostname, port: Number(port || 5_672) });
  system = await testSystem(
    {
      AMQP_URL: broker.through(stack.amqpUrl),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: '1',
      // The second attempt comes due only after the worker of the first is dead, also on a busy machine.
      WEBHOOK_RETRY_DELAYS_MS: '8000,500,500',
      LOG_LEVEL: 'trace',
    },
    stack,
  );
}, 240_000);

afterAll(async () => {
  await system?.stop();
  await broker?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await collector?.[Symbol.asyncDispose]();
}, 30_000);

/** Waits until the collector has the only span of a trace that fits. */
async function spanOf(traceId: string, fits: (span: CollectedSpan) => boolean): Promise<CollectedSpan> {
  return eventually(() => {
    const fitting = collector.spans.filter((span) => span.traceId === traceId && fits(span));
    expect(fitting).toEqual([expect.anything()]);
    return fitting[0] as CollectedSpan;
  }, patient);
}

/** The lines with this text in the logs of all processes. */
function lines(part: string): Record<string, unknown>[] {
  return system
    .logs()
    .split('\n')
    .filter((line) => line.includes(part))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the trace of one event', () => {
  it(
    'goes from its ingest to a third attempt, through the kill of who stored it and of who attempted it first',
    async () => {
      // Spans of publishing that failed while the broker was away do not count.
      const inTrace = (end: string) =>
        spanOf(producer.traceId, ({ name, failed }) => name.endsWith(end) && !failed);
      const attemptOf = (number: number) =>
        spanOf(producer.traceId, ({ attributes }) => attributes['sigcast.attempt'] === number);
      const path = '/traced';
      receiver.script(path, 500, 500);
      const { response } = await system.api('/v1/webhooks', {
        method: 'POST',
        body: JSON.stringify({ url: `${receiver.url}${path}`, events: ['signal.new'] }),
      });
      expect(response.status).toBe(201);
      // The event waits in its outbox until another process finds it there.
      broker.refuse();
      broker.cut();
      const ingested = await system.ingest('POST', '', newSignal(), {
        traceparent: `00-${producer.traceId}-${producer.spanId}-01`,
      });
      expect(ingested.response.status).toBe(201);
      const eventId = ingested.response.headers.get('x-event-id');
      expect(eventId).toMatch(/^evt_/);
      const request = await inTrace('POST /internal/v1/signals');
      await system.processes.signals.kill('SIGKILL');
      broker.restore();
      await system.processes.signals.start();
      const first = await attemptOf(1);
      await system.processes['webhooks-worker'].kill('SIGKILL');
      await system.processes['webhooks-worker'].start();
      const second = await attemptOf(2);
      const third = await attemptOf(3);

      const published = await inTrace('signals.events');
      const consumedFrom = (queue: string) =>
        spanOf(
          producer.traceId,
          ({ name, parentSpanId }) => name.endsWith(queue) && parentSpanId === published.spanId,
        );
      const fannedOut = await consumedFrom('webhooks.fanout');
      const recorded = await consumedFrom('stats.facts');
      expect(request).toMatchObject({ service: 'signals', parentSpanId: producer.spanId, failed: false });
      expect(published).toMatchObject({ service: 'signals', parentSpanId: request.spanId });
      expect([fannedOut, recorded]).toMatchObject([{ service: 'webhooks-worker' }, { service: 'stats' }]);
      for (const attempt of [first, second, third]) {
        expect(attempt).toMatchObject({
          service: 'webhooks-worker',
          parentSpanId: fannedOut.spanId,
          attributes: { 'sigcast.event_id': eventId },
        });
      }
      expect([first, second, third].map(({ failed }) => failed)).toEqual([true, true, false]);

      const got = receiver.requests.filter((one) => one.path === path);
      expect(got.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId, eventId]);
      // Subscribers do not get the trace.
      for (const { headers } of got) expect(Object.keys(headers)).not.toContain('traceparent');
      const stages = lines(eventId ?? '').filter((line) => line.event_id === eventId);
      expect(stages.map(({ msg }) => msg)).toEqual(
        expect.arrayContaining(['event stored', 'event relayed', 'event fanned out', 'delivery attempted']),
      );
      expect(new Set(stages.map(({ trace_id }) => trace_id))).toEqual(new Set([producer.traceId]));
    },
    hangs,
  );
});

describe("a client's request", () => {
  it(
    'begins a trace of our own, linked to that of the client, that goes to the service that answers',
    async () => {
      const client = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) };
      const { response } = await system.api('/v1/signals?limit=1', {
        headers: {
          traceparent: `00-${client.traceId}-${client.spanId}-01`,
          'x-request-id': 'traced-request-1',
        },
      });
      expect(response.headers.get('x-request-id')).toBe('traced-request-1');
      const served = await eventually(() => {
        const found = collector.spans.filter(
          (span) => span.attributes['sigcast.request_id'] === 'traced-request-1',
        );
        expect(found.map(({ service }) => service).sort()).toEqual(['gateway', 'signals']);
        return Object.fromEntries(found.map((span) => [span.service, span]));
      }, patient);
      const { traceId = '' } = served.gateway ?? {};
      const asked = await spanOf(traceId, ({ name }) => name === 'GET signals');
      expect(traceId).not.toBe(client.traceId);
      expect(served.gateway).toMatchObject({
        name: 'GET /v1/signals',
        parentSpanId: '',
        links: [client.traceId],
      });
      expect(asked).toMatchObject({ service: 'gateway', parentSpanId: served.gateway?.spanId });
      expect(served.signals).toMatchObject({ traceId, name: 'GET /v1/signals', parentSpanId: asked.spanId });

      const told = lines('traced-request-1').filter(({ msg }) => msg === 'request');
      expect(told.map(({ service }) => service).sort()).toEqual(['gateway', 'signals']);
      for (const line of told) {
        expect(line).toMatchObject({
          level: 'info',
          trace_id: traceId,
          request_id: 'traced-request-1',
          duration_ms: expect.any(Number),
          method: 'GET',
          route: '/v1/signals',
          status: 200,
          account: expect.stringMatching(/^acct_/),
        });
      }
      expect(told.find(({ service }) => service === 'gateway')).toHaveProperty(
        'key',
        expect.stringMatching(/^key_[0-9a-f]{24}$/),
      );
    },
    hangs,
  );
});

describe('what is logged and traced', () => {
  it(
    'at any level holds no key, token, password, secret, e-mail address or path of a subscriber',
    async () => {
      const secrets: string[] = [system.apiKey];
      const keep = (secret: unknown): string => {
        expect(String(secret).length).toBeGreaterThan(10);
        secrets.push(String(secret));
        return String(secret);
      };
      const email = keep('nobody-knows-me@sigcast.test');
      const password = keep('correct horse battery staple');
      const call = async (
        path: string,
        init: { method?: string; body?: object; token?: string; cookie?: string },
      ) => {
        const { method = 'GET', body, token, cookie } = init;
        const response = await fetch(`${system.gatewayUrl}${path}`, {
          method,
          headers: {
            'content-type': 'application/json',
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...(cookie !== undefined && { cookie }),
          },
          ...(body && { body: JSON.stringify(body) }),
        });
        const { data } = (await response.json()) as { data?: Record<string, unknown> };
        return { response, data };
      };
      const signedUp = await call('/account', { method: 'POST', body: { email, password } });
      const cookie = keep(signedUp.response.headers.get('set-cookie')?.split(';')[0]);
      const token = keep(signedUp.data?.access_token);
      const renewed = await call('/account/session/refresh', { method: 'POST', cookie });
      keep(renewed.response.headers.get('set-cookie')?.split(';')[0]);
      keep(renewed.data?.access_token);
      await call('/account/session', {
        method: 'POST',
        body: { email, password: keep('not my password at all') },
      });
      const key = keep(
        (
          await call('/account/keys', {
            method: 'POST',
            token,
            body: { name: 'mine', expires_in_days: null },
          })
        ).data?.key,
      );
      const wrongKey = keep(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
      await call('/v1/signals', { token });
      await call('/v1/signals', { token: wrongKey });
      // Clients may put keys into paths and queries by mistake.
      await call(`/v1/signals/${key}?api_key=${key}`, { token: key });
      await call(`/${key}`, { token: key });

      const path = keep('/hook/a-path-that-nobody-guesses');
      receiver.script(path, 500);
      const made = await call('/v1/webhooks', {
        method: 'POST',
        token: key,
        body: { url: `${receiver.url}${path}`, events: ['signal.new'] },
      });
      keep(made.data?.secret);
      const rotated = await call(`/v1/webhooks/${String(made.data?.id)}/rotate-secret`, {
        method: 'POST',
        token: key,
      });
      keep(rotated.data?.secret);
      const issued = await system.operator<{ token: string }>(
        ...['token', 'create', '--subject', 'feed', '--scope', 'signals:write'],
      );
      const ingested = await fetch(`${system.signalsUrl}/internal/v1/signals`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keep(issued.token)}`, 'content-type': 'application/json' },
        body: JSON.stringify(newSignal()),
      });
      const eventId = ingested.headers.get('x-event-id') ?? '';
      const attempts = () => lines(eventId).filter(({ msg }) => msg === 'delivery attempted');
      await eventually(
        () => expect(attempts().filter(({ status }) => status === 500)).toHaveLength(1),
        patient,
      );

      // Make sure that these requests were logged and traced.
      const requests = lines('"msg":"request"').map(({ route }) => route);
      expect(requests).toEqual(
        expect.arrayContaining([
          '/account',
          '/account/session',
          '/account/keys',
          '/v1/signals/:signal_id',
          '/v1/webhooks',
        ]),
      );
      await eventually(
        () =>
          expect(collector.spans.map(({ name }) => name)).toContain(
            'POST /v1/webhooks/:webhook_id/rotate-secret',
          ),
        patient,
      );
      const attempted = await eventually(() => {
        const ofEvent = collector.spans.filter((span) => span.attributes['sigcast.event_id'] === eventId);
        expect(ofEvent.map(({ name }) => name)).toContain('attempt delivery');
        return ofEvent[0] as CollectedSpan;
      }, patient);
      await spanOf(attempted.traceId, ({ name }) => name === 'POST /internal/v1/signals');
      const told = [system.logs(), ...collector.received].join('\n');
      expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
    },
    hangs,
  );
});
