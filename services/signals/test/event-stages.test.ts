import type { OutgoingEvent } from '@sigcast/contracts';
import { createLogger, readConfig, silentLogger, withContext } from '@sigcast/runtime';
import { startTracing, tracingSettings } from '@sigcast/telemetry';
import { type Collector, eventually, startCollector } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventStages, traceOfImported, traceOfRequest } from '../src/event-stages.ts';

const request = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };
const during = <T>(work: () => T) => withContext({ requestId: 'req_1', trace: request }, work);

describe('the stages of an event', () => {
  const resources = new AsyncDisposableStack();
  let collector: Collector;

  beforeAll(async () => {
    for (const traceOf of [traceOfRequest, traceOfImported]) expect(during(traceOf)).toBeUndefined(); // nothing is traced yet
    collector = resources.use(await startCollector());
    const config = readConfig(tracingSettings, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: '1',
    });
    await startTracing({ service: 'signals', config, log: silentLogger() }, resources);
  });

  afterAll(() => resources.disposeAsync());

  it('an event made by a request is in the request’s trace', () => {
    expect(during(traceOfRequest)?.traceparent).toBe(`00-${request.traceId}-${request.spanId}-01`);
  });

  it('an event of an import begins a trace of its own, with a link to the import', async () => {
    const traces = during(() => [traceOfImported(), traceOfImported(), traceOfImported()]);
    const [one = '', other = ''] = traces.map((trace) => trace?.traceparent);
    // The last one is not written.
    for (const trace of traces.slice(0, 2)) trace?.stored();
    expect(one.split('-')[1]).not.toBe(other.split('-')[1]);
    expect([one, other].join()).not.toContain(request.traceId);
    await eventually(() => expect(collector.spans).toHaveLength(2));
    for (const span of collector.spans) {
      expect(span).toMatchObject({ parentSpanId: '', links: [request.traceId] });
      expect([one, other]).toContain(`00-${span.traceId}-${span.spanId}-01`);
    }
  });

  it('each stage of an event is logged, for an import’s events at level debug', () => {
    const lines: string[] = [];
    const log = createLogger({ service: 'signals', destination: { write: (line) => lines.push(line) } });
    const event = {
      id: 'evt_1',
      type: 'signal.new',
      data: { id: 'sig_1' },
      traceparent: `00-${request.traceId}-${request.spanId}-01`,
    } as OutgoingEvent;
    const stages = eventStages(log);
    stages.stored(event, 'live');
    stages.relayed(event, 'live');
    stages.stored(event, 'bulk');
    stages.relayed(event, 'bulk');
    // A later change of an imported signal is not of the import.
    stages.relayed({ ...event, type: 'signal.dead' }, 'bulk');
    const ids = { event_id: 'evt_1', event: 'signal.new', signal_id: 'sig_1', trace_id: request.traceId };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ msg: 'event stored', ...ids }),
      expect.objectContaining({ msg: 'event relayed', ...ids }),
      expect.objectContaining({ msg: 'event relayed', ...ids, event: 'signal.dead' }),
    ]);
  });
});
