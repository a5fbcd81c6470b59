export * from './in-span.ts';
export * from './settings.ts';
export type { Attributes, Span, SpanCounts, SpanOptions } from './span.ts';
export {
  currentTraceparent,
  parseTraceparent,
  spanCounts,
  startSpan,
  startTracing,
  traceIdOf,
  traceparentOf,
} from './tracing.ts';
