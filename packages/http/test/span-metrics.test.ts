import { readConfig, silentLogger } from '@sigcast/runtime';
import { startSpan, startTracing, tracingSettings } from '@sigcast/telemetry';
import { eventually, startCollector } from '@sigcast/testing';
import { expect, it } from 'vitest';
import { createMetrics } from '../src/index.ts';

it('metrics count exported and dropped spans, and show neither while nothing is traced', async () => {
  await using resources = new AsyncDisposableStack();
  const registry = createMetrics('tried');
  expect(await registry.metrics()).not.toMatch(/^sigcast_traces_spans_total\{/m);
  const collector = resources.use(await startCollector());
  const config = readConfig(tracingSettings, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '1',
  });
  await startTracing({ service: 'tried', config, log: silentLogger() }, resources);
  for (let n = 0; n < 3; n++) startSpan('sample', { kind: 'internal' })?.end();
  await eventually(async () => {
    const text = await registry.metrics();
    expect(text).toContain('sigcast_traces_spans_total{outcome="exported",service="tried"} 3');
    expect(text).toContain('sigcast_traces_spans_total{outcome="dropped",service="tried"} 0');
  });
});
