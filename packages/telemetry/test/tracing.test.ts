import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { currentTrace, readConfig, silentLogger } from '@sigcast/runtime';
import { type Collector, eventually, spawnService, startCollector } from '@sigcast/testing';
import { afterEach, describe, expect, it } from 'vitest';
import {
  currentTraceparent,
  inSpan,
  parseTraceparent,
  startSpan,
  startTracing,
  traceparentOf,
  tracingSettings,
} from '../src/index.ts';

let resources = new AsyncDisposableStack();

afterEach(async () => {
  await resources.disposeAsync();
  resources = new AsyncDisposableStack();
});

/** The output of a fixture. */
async function run(fixture: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawnService(join(import.meta.dirname, 'fixtures', fixture), env);
  await child.exited;
  return child.output();
}

/** Starts tracing in this process. */
async function trace(env: Readonly<Record<string, string>>): Promise<void> {
  const config = readConfig(tracingSettings, env);
  await startTracing({ service: 'sample', config, log: silentLogger() }, resources);
}

async function collect(env: Readonly<Record<string, string>> = {}): Promise<Collector> {
  const collector = resources.use(await startCollector());
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '1', ...env };
  await trace(all);
  return collector;
}

describe('traces', () => {
  it.each([
    ['a process without an endpoint does not load the SDK', {}, { loaded: false, traced: false }],
    [
      'a process with an endpoint loads the SDK',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
      { loaded: true, traced: true },
    ],
  ])('%s', async (_name, env, expected) => {
    expect(JSON.parse(await run('loads-sdk.ts', env))).toEqual(expected);
  });

  it('while nothing is traced, work in a span is just done, and no trace context is parsed', async () => {
    const done = await inSpan('work', { kind: 'internal' }, async (span) => ({ span, in: currentTrace() }));
    expect(done).toEqual({ span: undefined, in: undefined });
    expect(parseTraceparent(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`)).toBeUndefined();
  });

  it('a trace continues from a traceparent, and the collector gets each span with its parent', async () => {
    const collector = await collect();
    const parent = parseTraceparent(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`);
    const inner = await inSpan('outer', { kind: 'server', parent, attributes: { colour: 'red' } }, () =>
      inSpan('inner', { kind: 'client', parent: currentTrace() }, async () => currentTraceparent()),
    );
    await eventually(() => expect(collector.spans).toHaveLength(2));
    const [outer] = collector.spans.filter(({ name }) => name === 'outer');
    expect(outer).toMatchObject({
      service: 'sample',
      traceId: 'a'.repeat(32),
      parentSpanId: 'b'.repeat(16),
      attributes: { colour: 'red' },
    });
    const second = collector.spans.find(({ name }) => name === 'inner');
    expect(second).toMatchObject({ traceId: 'a'.repeat(32), parentSpanId: outer?.spanId });
    expect(inner).toBe(`00-${'a'.repeat(32)}-${second?.spanId}-01`);
  });

  it.each([
    '00-0-0-01',
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    ['several'],
  ])('the traceparent %j is invalid', async (header) => {
    await collect();
    expect(parseTraceparent(header)).toBeUndefined();
  });

  it.each([
    [{ OTEL_TRACES_SAMPLER_ARG: '0' }, 0, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, 0, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: '0' }, 1_000, 1_000],
    [{ OTEL_TRACES_SAMPLER_ARG: '0.5' }, 350, 650],
  ])('traces that begin here are sampled by %j, each with an id of its own', async (env, least, most) => {
    await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', ...env });
    const spans = Array.from({ length: 1_000 }, () => startSpan('work', { kind: 'server' }));
    const sampled = spans.filter((span) => span?.recording);
    expect(sampled.length).toBeGreaterThanOrEqual(least);
    expect(sampled.length).toBeLessThanOrEqual(most);
    const ids = spans.map((span) => (span ? traceparentOf(span.context) : ''));
    expect(new Set(ids.map((id) => id.slice(3, 35))).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
  });

  it('a trace that was not sampled where it began is not sampled here, and its traceparent says so', async () => {
    const collector = await collect();
    const parent = parseTraceparent(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`);
    const span = startSpan('dropped', { kind: 'server', parent });
    expect(span?.recording).toBe(false);
    expect(span && traceparentOf(span.context)).toMatch(/-00$/);
    span?.end();
    startSpan('kept', { kind: 'internal' })?.end();
    await eventually(() => expect(collector.spans.map(({ name }) => name)).toEqual(['kept']));
  });

  it('a span of failed work has the type of the error, and not its message', async () => {
    const collector = await collect();
    const failing = inSpan('failing', { kind: 'internal' }, () => Promise.reject(new TypeError('hunter2')));
    await expect(failing).rejects.toThrow('hunter2');
    await eventually(() => expect(collector.spans).toHaveLength(1));
    expect(collector.spans[0]).toMatchObject({ failed: true, attributes: { 'error.type': 'TypeError' } });
    expect(collector.received.join('')).not.toContain('hunter2');
  });

  it('all waiting spans are sent before tracing ends', async () => {
    const collector = await startCollector();
    await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'parentbased_always_on' });
    for (let n = 0; n < 1_500; n++) startSpan('last', { kind: 'internal' })?.end();
    await resources.disposeAsync();
    expect(collector.spans).toHaveLength(1_500);
    await collector[Symbol.asyncDispose]();
  });

  it.concurrent.each(['refuses', 'hangs'])(
    'spans are dropped and counted, logged once, and do not delay the end of the process when the collector %s',
    async (how) => {
      await using own = new AsyncDisposableStack();
      const silent = createServer();
      own.defer(() => void silent.close());
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const port = how === 'hangs' ? (silent.address() as AddressInfo).port : 9;
      const output = await run('loses-spans.ts', {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      });
      const lines = output.trim().split('\n');
      const end = JSON.parse(lines.at(-1) ?? '') as Record<string, number>;
      expect(end).toMatchObject({ msg: 'end' });
      // One batch is being sent, and the queue is bounded.
      expect(end.dropped).toBe(10_000 - 512 - 2_048);
      // Two seconds, and what a busy machine adds.
      expect(end.closed_in_ms).toBeLessThan(4_500);
      expect(lines.filter((line) => line.includes('spans are dropped'))).toHaveLength(1);
    },
  );

  it.each([
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'collector:4318',
      'must be an address that begins with http:// or https://',
    ],
    ['OTEL_TRACES_SAMPLER', 'traceidratio', 'must be one of parentbased_always_on, '],
    ['OTEL_TRACES_SAMPLER_ARG', '2', 'must be a number from 0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', '1%', 'must be a number from 0 to 1'],
  ])('the setting %s=%s is refused', (name, value, problem) => {
    expect(() => readConfig(tracingSettings, { [name]: value })).toThrow(problem);
    expect(() => readConfig(tracingSettings, { [name]: value })).toThrow(name);
  });
});
