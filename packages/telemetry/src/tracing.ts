import { currentTrace, type Logger, type Resources, type TraceContext } from '@sigcast/runtime';
import type { TracingSettings } from './settings.ts';
import type { Span, SpanCounts, SpanOptions, Tracing } from './span.ts';

/** The process's own, as its log and its async context are. Unset: nothing is traced, and no SDK loaded. */
let tracing: Tracing | undefined;

/**
 * Begins to trace, if the settings name a collector. Call it before anything else is acquired: what ends later still has
 * its spans sent. Never waits for the collector, which may be away.
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
  log.info({ endpoint: new URL(endpoint).origin }, 'traces');
}

/** Begins a span; undefined while nothing is traced. Who begins one ends it. */
export function startSpan(name: string, options: SpanOptions): Span | undefined {
  return tracing?.start(name, options);
}

/** The place in a trace that a `traceparent` header names (W3C Trace Context, 3.2); undefined where it names none, or nothing is traced. */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  if (tracing === undefined || typeof header !== 'string') return undefined;
  return tracing.parse(header);
}

/** A place in a trace as a `traceparent` header. */
export function traceparentOf({ traceId, spanId, traceFlags }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}

/** The trace that a `traceparent` of ours is in. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** Where the present work is in which trace, as a `traceparent` header; undefined where it is in none. */
export function currentTraceparent(): string | undefined {
  const trace = tracing && currentTrace();
  return trace && traceparentOf(trace);
}

/** What became of this process's spans; undefined while nothing is traced. */
export function spanCounts(): SpanCounts | undefined {
  return tracing?.counts;
}
