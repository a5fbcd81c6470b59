import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@sigcast/runtime';
import { Counter } from 'prom-client';
import { createMetrics, serveMetrics } from '../src/index.ts';

describe('metrics', () => {
  it("are served as Prometheus' text, with the service named and the process measured", async () => {
    await using resources = new AsyncDisposableStack();
    const registry = createMetrics('tried');
    new Counter({ name: 'sigcast_tried_total', help: 'Tries.', registers: [registry] }).inc(3);
    const url = await serveMetrics(registry, { host: '127.0.0.1', port: 0 }, silentLogger(), resources);
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    expect(text).toContain('sigcast_tried_total{service="tried"} 3');
    expect(text).toMatch(/process_cpu_seconds_total\{.*\} [\d.]+/);
    expect((await fetch(new URL('/', url))).status).toBe(404);
  });

  it('end with what they belong to', async () => {
    const resources = new AsyncDisposableStack();
    const url = await serveMetrics(
      createMetrics('tried'),
      { host: '127.0.0.1', port: 0 },
      silentLogger(),
      resources,
    );
    await fetch(url).then((answer) => answer.text());
    await resources.disposeAsync();
    await expect(fetch(url)).rejects.toThrow();
  });
});
