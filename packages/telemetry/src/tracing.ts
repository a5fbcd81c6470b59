import { currentTrace, type Logger, type Resources, type TraceContext } from '@sigcast/runtime';
import type { TracingSettings } from './settings.ts';
import type { Span, SpanCounts, SpanOptions, Tracing } from './span.ts';

/** One for each process, like its async context. Undefined: nothing is traced, and the SDK is not loaded. */
let tracing: Tracing | undefined;

/**
 * Starts tracing, if the settings name a collector. Call it before other resources are acquired, so that the spans of their
 * release are still sent. Does not wait for the collector, which may be away.
 */
export async function startTracing(
  {
    service,
    config,
    log,
  }: { readonly service: string; readonly config: TracingSettings; readonly log: Logger },
  resources: Resources,
): Promise<void> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return;
  const { openSdk } = await import('./sdk.ts');
  const sdk = openSdk({ service, endpoint, config, log });
  tracing = sdk.tracing;
  resources.defer(async () => {
    tracing = undefined;
    await sdk.close();
  });
  log.info({ endpoint: new URL(endpoint).origin }, 'traces: sent to this collector');
}

/** Begins a span, which the caller has to end; undefined while nothing is traced. */
export function startSpan(name: string, options: SpanOptions): Span | undefined {
  return tracing?.start(name, options);
}

/** Parses a `traceparent` header (W3C Trace Context, 3.2); undefined where it is invalid, or nothing is traced. */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  if (tracing === undefined || typeof header !== 'string') return undefined;
  return tracing.parse(header);
}

/** A trace context as a `traceparent` header. */
export function traceparentOf({ traceId, spanId, traceFlags }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}

/** The trace id of a `traceparent` header that this system made. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** The current trace context as a `traceparent` header; undefined where the work is not traced. */
export function currentTraceparent(): string | undefined {
  const trace = tracing && currentTrace();
  return trace && traceparentOf(trace);
}

/** The counts of this process's spans; undefined while nothing is traced. */
export function spanCounts(): SpanCounts | undefined {
  return tracing?.counts;
}
