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

/** Spans that wait to be sent, at most; some 2 MB. More are dropped. */
const maxQueued = 2_048;
/** Spans sent together, at most. */
const batchSize = 512;
/** Between two batches: what a process that is killed has not sent. */
const batchEveryMs = 1_000;
/** For one batch, its repetitions included. Meanwhile the next ones wait. */
const exportTimeoutMs = 5_000;
/** For what is left when the process stops. */
const closeTimeoutMs = 2_000;
/** A collector that is away is said once in this time. */
const sayEveryMs = 60_000;

export type Sdk = { readonly tracing: Tracing; close(): Promise<void> };

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
  let saidAtMs = Number.NEGATIVE_INFINITY;
  const tellLost = (reason: string) => {
    const nowMs = performance.now();
    if (nowMs - saidAtMs < sayEveryMs) return;
    saidAtMs = nowMs;
    log.warn({ reason, ...counts }, 'traces: spans are dropped');
  };
  // Each failed batch is counted below.
  setGlobalErrorHandler(() => undefined);
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      timeoutMillis: exportTimeoutMs,
      // All that waits leaves at once when the process stops, beside the batch that is under way.
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
        tellLost(reason);
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
    // It is asked only for what is sampled.
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

/** The share of the traces that begin here to keep. Where one begins it is decided for all of it, so not by its id. */
function shareOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingSettings): number {
  if (name === 'parentbased_always_on') return 1;
  return name === 'parentbased_always_off' ? 0 : share;
}

const nothing = () => undefined;

/** A span of which nothing is kept. Its place in its trace is passed on, so that nobody decides again. */
function unsampled(parent: TraceContext | undefined): Span {
  const context = { traceId: parent?.traceId ?? randomHex(32), spanId: randomHex(16), traceFlags: 0 };
  return { context, recording: false, rename: nothing, set: nothing, end: nothing };
}

/** As many hexadecimal digits, at most 32. Of a UUID, whose random numbers Node draws for many at once. */
function randomHex(length: number): string {
  return randomUUID().replaceAll('-', '').slice(-length);
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

/** The metric of OpenTelemetry's semantic conventions for what has left a processor's queue, whether it was sent or not. */
const processedSpans = 'otel.sdk.processor.span.processed';

/** Lets the SDK count its spans here: of all its metrics, that one. `reason`: why they were dropped. */
function countingProcessed(count: (spans: number, reason: string | undefined) => void): MeterProvider {
  const none = createNoopMeter();
  const counter: Counter = {
    add: (spans, attributes) => {
      const reason = attributes?.['error.type'];
      count(spans, reason === undefined ? undefined : String(reason));
    },
  };
  const createCounter = (name: string) => (name === processedSpans ? counter : none.createCounter(name));
  // The one that does nothing is everybody's.
  const meter = Object.assign(Object.create(none) as typeof none, { createCounter });
  return { getMeter: () => meter };
}
