import { createApp, handleDirectly, serve } from '@sigcast/http';
import { silentLogger } from '@sigcast/runtime';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { AdmissionController } from '../src/domain/admission.ts';
import { createApiKey } from '../src/domain/api-key.ts';
import { LocalCounters } from '../src/domain/local-counters.ts';
import { GatewayMetrics } from '../src/metrics.ts';
import { type ProxyApiDeps, proxyApi } from '../src/routes/proxy-api.ts';

/** How many answers with a status to `GET /v1/signals/:signal_id` the metrics show; undefined when they show no such line. */
async function shown(registry: Registry, status: number): Promise<number | undefined> {
  const labels = `http_request_method="GET",http_route="/v1/signals/:signal_id",http_response_status_code="${status}"`;
  const name = `http_server_request_duration_seconds_count{${labels}} `;
  const line = (await registry.metrics()).split('\n').find((each) => each.startsWith(name));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

it('the metrics show failures as 0 before the first, and count an internal error of the gateway under its route', async () => {
  const registry = new Registry();
  const metrics = new GatewayMetrics(registry);
  for (const status of [500, 502, 503, 504]) expect(await shown(registry, status)).toBe(0);

  const bug = () => Promise.reject(new TypeError('a bug'));
  const shared = { admitKey: bug, admitAddress: bug, admitSession: bug, admitNamed: bug };
  const controller = new AdmissionController({
    shared: { ...shared, refund: bug, usedToday: bug },
    keyRepository: { find: bug },
    sessions: { find: bug },
    clock: Date.now,
    local: new LocalCounters({ windowMs: 60_000, clock: Date.now }),
  });
  const log = silentLogger();
  // The handler uses no other dependency for a request that is not admitted.
  const deps = { controller, metrics, trustProxy: false } as unknown as ProxyApiDeps;
  const handle = handleDirectly(
    log,
    {},
    proxyApi(deps, () => undefined),
  );
  const settings = { host: '127.0.0.1', port: 0, direct: { takes: () => true, handle } };
  await using resources = new AsyncDisposableStack();
  const url = await serve(createApp(log), settings, log, resources);
  const { text: key } = createApiKey('acct_01M825KRJ3A7FMQ1FZ61H4Y2NJ');
  const headers = { authorization: `Bearer ${key}`, connection: 'close' };
  const { status } = await fetch(`${url}/v1/signals/sig_1`, { headers });
  expect(status).toBe(500);
  expect(await shown(registry, 500)).toBe(1);
});
