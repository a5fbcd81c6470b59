import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Counter,
  createNoopMeter,
  type MeterProvider,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { type Logger, type TraceContext, waitAtMost } from '@sigcast/runtime';
import type { TracingSettings } from './settings.ts';
import type { Span, SpanOptions, Tracing } from './span.ts';

/** The most spans that wait to be sent, some 2 MB. Further spans are dropped. */
const maxQueued = 2_048;
/** The most spans of one batch. */
const batchSize = 512;
/** The time between two batches. A process that is killed loses the spans of this time. */
const batchEveryMs = 1_000;
/** The timeout of one batch with its retries. Meanwhile further batches wait. */
const exportTimeoutMs = 5_000;
/** The timeout for waiting spans when the process stops. */
const closeTimeoutMs = 2_000;
/** Dropped spans are logged at most once in this time. */
const logEveryMs = 60_000;

type Sdk = { readonly tracing: Tracing; close(): Promise<void> };

/** OpenTelemetry's SDK, which sends spans to `endpoint` by OTLP over HTTP, in JSON. */
export function openSdk({
  service,
  endpoint,
  config,
  log,
}: {
  readonly service: string;
  readonly endpoint: string;
  readonly config: TracingSettings;
  readonly log: Logger;
}): Sdk {
  const counts = { exported: 0, dropped: 0 };
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const logDropped = (reason: string) => {
    const nowMs = performance.now();
    if (nowMs - loggedAtMs < logEveryMs) return;
    loggedAtMs = nowMs;
    log.warn({ reason, ...counts }, 'traces: spans are dropped');
  };
  // Failed batches are counted below instead.
  setGlobalErrorHandler(() => undefined);
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      timeoutMillis: exportTimeoutMs,
      // Enough to send all waiting batches at once when the process stops, beside the batch in progress.
      concurrencyLimit: 1 + Math.ceil(maxQueued / batchSize),
    }),
    maxQueueSize: maxQueued,
    maxExportBatchSize: batchSize,
    scheduledDelayMillis: batchEveryMs,
    exportTimeoutMillis: 2 * exportTimeoutMs,
    selfObsMeterProvider: countingProcessed((spans, reason) => {
      if (reason === undefined) counts.exported += spans;
      else {
        counts.dropped += spans;
        logDropped(reason);
      }
    }),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.namespace': 'sigcast',
      'service.instance.id': randomUUID(),
      'host.name': hostname(),
    }),
    // `start` below makes the decision: unsampled spans do not reach the SDK.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('sigcast');
  const share = shareOf(config);
  return {
    tracing: {
      start: (name, { kind, parent, links }: SpanOptions) => {
        const isSampled = parent === undefined ? Math.random() < share : (parent.traceFlags & 1) === 1;
        if (!isSampled) return unsampled(parent);
        const context =
          parent === undefined
            ? ROOT_CONTEXT
            : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
        const options = {
          kind: kinds[kind],
          ...(links && { links: links.map((context) => ({ context })) }),
        };
        return spanOf(tracer.startSpan(name, options, context));
      },
      parse: (traceparent) => parseTraceParent(traceparent) ?? undefined,
      counts,
    },
    close: async () => {
      await waitAtMost(
        closeTimeoutMs,
        provider.shutdown().catch(() => undefined),
      );
    },
  };
}

const kinds: Readonly<Record<SpanOptions['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** The share of traces to keep among those that begin in this process. */
function shareOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingSettings): number {
  if (name === 'parentbased_always_on') return 1;
  return name === 'parentbased_always_off' ? 0 : share;
}

const nothing = () => undefined;

/** A span that records nothing. Its context is passed on, so that other services do not decide about the trace again. */
function unsampled(parent: TraceContext | undefined): Span {
  // Random hexadecimal digits: Node caches random numbers for UUIDs. Nobody records the span, so both ids may share them.
  const [a = '', b = '', c = '', d = '', e = ''] = randomUUID().split('-');
  const context = { traceId: parent?.traceId ?? a + b + c + d + e, spanId: d + e, traceFlags: 0 };
  return { context, recording: false, rename: nothing, set: nothing, end: nothing };
}

function spanOf(span: OtelSpan): Span {
  return {
    context: span.spanContext(),
    recording: span.isRecording(),
    rename: (name) => void span.updateName(name),
    set: (attributes) => {
      for (const [name, value] of Object.entries(attributes))
        if (value !== undefined) span.setAttribute(name, value);
    },
    end: (errorType) => {
      if (errorType !== undefined) {
        span.setAttribute('error.type', errorType);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

/** OpenTelemetry's metric of spans that have left a processor's queue, sent or dropped. */
const processedSpans = 'otel.sdk.processor.span.processed';

/** A meter provider that passes on that one metric of the SDK. `reason`: why spans were dropped, if they were. */
function countingProcessed(count: (spans: number, reason: string | undefined) => void): MeterProvider {
  const none = createNoopMeter();
  const counter: Counter = {
    add: (spans, attributes) => {
      const reason = attributes?.['error.type'];
      count(spans, reason === undefined ? undefined : String(reason));
    },
  };
  const createCounter = (name: string) => (name === processedSpans ? counter : none.createCounter(name));
  // A copy, because the no-op meter is shared.
  const meter = Object.assign(Object.create(none) as typeof none, { createCounter });
  return { getMeter: () => meter };
}
