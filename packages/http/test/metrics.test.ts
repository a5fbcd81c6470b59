import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { Counter, type Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import {
  addGauges,
  createApp,
  createMetrics,
  finishApp,
  HttpMetrics,
  resource,
  serve,
  serveMetrics,
} from '../src/index.ts';

/** Serves a registry's metrics on a port of the system's choice, until the test ends. */
async function served(registry: Registry, resources: AsyncDisposableStack): Promise<string> {
  const at = { METRICS_HOST: '127.0.0.1', METRICS_PORT: 0 };
  const url = await serveMetrics(registry, at, silentLogger(), resources);
  if (url === undefined) throw new Error('metrics are not served');
  return url;
}

describe('metrics', () => {
  it("metrics are served as Prometheus' text, with the service's name and measurements of the process", async () => {
    await using resources = new AsyncDisposableStack();
    const registry = createMetrics('tried');
    new Counter({ name: 'sigcast_tried_total', help: 'Tries.', registers: [registry] }).inc(3);
    const url = await served(registry, resources);
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    expect(text).toContain('sigcast_tried_total{service="tried"} 3');
    expect(text).toMatch(/process_cpu_seconds_total\{.*\} [\d.]+/);
    expect((await fetch(new URL('/', url))).status).toBe(404);
  });

  it('metrics say which version of the service runs, and from which commit it was built', async () => {
    const registry = createMetrics('tried', { source: import.meta.url, commit: 'abc1234' });
    expect(await registry.metrics()).toContain(
      'sigcast_build_info{version="0.1.0",commit="abc1234",service="tried"} 1',
    );
  });

  it('metrics are not served without a port', async () => {
    await using resources = new AsyncDisposableStack();
    const nowhere = { METRICS_HOST: '127.0.0.1', METRICS_PORT: undefined };
    expect(await serveMetrics(createMetrics('tried'), nowhere, silentLogger(), resources)).toBeUndefined();
  });

  it('metrics are no longer served once the resources are released', async () => {
    const resources = new AsyncDisposableStack();
    const url = await served(createMetrics('tried'), resources);
    await fetch(url).then((answer) => answer.text());
    await resources.disposeAsync();
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('gauges that are read', () => {
  const specs = [
    { name: 'sigcast_waiting', help: 'What waits.', label: 'queue' },
    { name: 'sigcast_age_seconds', help: 'For how long.' },
  ];

  it('concurrent scrapes of several gauges share one read', async () => {
    const registry = createMetrics('tried');
    let reads = 0;
    addGauges(registry, specs, async () => {
      reads += 1;
      return [{ one: 3, gone: undefined }, 7];
    });
    const texts = await Promise.all([registry.metrics(), registry.metrics(), registry.metrics()]);
    expect(reads).toBe(1);
    for (const text of texts) {
      expect(text).toContain('sigcast_waiting{queue="one",service="tried"} 3\n');
      expect(text).toContain('sigcast_age_seconds{service="tried"} 7\n');
      expect(text).not.toContain('queue="gone"');
    }
  });

  it.each([
    ['fails', () => Promise.reject(new Error('the store is away'))],
    ['never ends', () => new Promise<never>(() => undefined)],
  ])(
    'gauges whose read %s show nothing; the other metrics are shown in time, and the failure is counted',
    async (_, read) => {
      const registry = createMetrics('tried');
      addGauges(registry, specs, read);
      const text = await registry.metrics();
      expect(text).not.toMatch(/^sigcast_(waiting|age_seconds)\b/m);
      expect(text).toMatch(/^process_cpu_seconds_total\b/m);
      const counted = 'sigcast_metrics_read_failures_total{gauge="sigcast_waiting",service="tried"} 1';
      expect(await registry.getSingleMetricAsString('sigcast_metrics_read_failures_total')).toContain(
        counted,
      );
    },
  );
});

describe('requests', () => {
  it("requests are counted by method, route's template and status, never by path", async () => {
    await using resources = new AsyncDisposableStack();
    const registry = createMetrics('tried');
    const app = createApp(silentLogger());
    resource(app, '/things/:id', { GET: (_req, res) => void res.json({}) });
    const server = { host: '127.0.0.1', port: 0, metrics: new HttpMetrics(registry) };
    const url = await serve(finishApp(app, silentLogger()), server, silentLogger(), resources);
    for (const path of ['/things/1', '/things/2', '/nothing/3']) await (await fetch(url + path)).text();
    await (await fetch(`${url}/things/4`, { method: 'PUT' })).text();
    await (await fetch(`${url}/things/5`, { method: 'PROPFIND' })).text();
    const counts = async () => {
      const text = await registry.getSingleMetricAsString('http_server_request_duration_seconds');
      return [...text.matchAll(/_count\{service="tried",(.*)\} (\d+)/g)].map(([, ...found]) => found);
    };
    const labels = (method: string, route: string, status: number) =>
      `http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"`;
    const expected = [
      [labels('GET', '/things/:id', 200), '2'],
      [labels('GET', 'none', 404), '1'],
      [labels('PUT', '/things/:id', 405), '1'],
      [labels('_OTHER', '/things/:id', 405), '1'],
    ];
    await eventually(async () => expect(await counts()).toEqual(expected));
  });
});
