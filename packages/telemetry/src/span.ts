import type { AttributeValue } from '@opentelemetry/api';
import type { TraceContext } from '@sigcast/runtime';

/** Attributes of a span, named by OpenTelemetry's semantic conventions where those have a name. Undefined ones are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** The kind of work that a span covers, and the spans that it is related to. */
export type SpanOptions = {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The parent span. Without one the span begins a trace, and decides whether the trace is sampled. */
  readonly parent?: TraceContext | undefined;
  /** Other spans that the span is related to. */
  readonly links?: readonly TraceContext[];
};

/** A span of a trace. A span that is not sampled has a context and records nothing. */
export type Span = {
  readonly context: TraceContext;
  /** Whether the span is sampled. Otherwise attributes need not be computed. */
  readonly recording: boolean;
  /** Changes the name, once more is known. */
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Ends the span; as failed if an error's type is given (never its message). */
  end(errorType?: string): void;
};

/** Numbers of spans since the start: accepted by the collector, and dropped because of a full queue or a failed export. */
export type SpanCounts = { readonly exported: number; readonly dropped: number };

/** The tracing functions of the loaded SDK. */
export type Tracing = {
  start(name: string, options: SpanOptions): Span;
  parse(traceparent: string): TraceContext | undefined;
  readonly counts: SpanCounts;
};
