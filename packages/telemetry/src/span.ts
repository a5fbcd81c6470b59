import type { AttributeValue } from '@opentelemetry/api';
import type { TraceContext } from '@sigcast/runtime';

/** What a span says of itself, by the names of OpenTelemetry's semantic conventions where they have one. Undefined is left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export type SpanOptions = {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** What led to it; without one it begins a trace, which is sampled or not. */
  readonly parent?: TraceContext | undefined;
  /** What else led to it, or where the same thing is seen by others. */
  readonly links?: readonly TraceContext[];
};

/** A piece of work in a trace. One that is not sampled has a context and keeps nothing. */
export type Span = {
  readonly context: TraceContext;
  /** Whether it is sampled: only then it is worth finding out what to say of it. */
  readonly recording: boolean;
  /** Another name, once more is known. */
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Ends it. With the type of an error (never its words) it has failed. */
  end(errorType?: string): void;
};

/** Spans since the start: those that the collector took, and those that did not fit or that it did not take. */
export type SpanCounts = { readonly exported: number; readonly dropped: number };

/** The loaded SDK. */
export type Tracing = {
  start(name: string, options: SpanOptions): Span;
  parse(traceparent: string): TraceContext | undefined;
  readonly counts: SpanCounts;
};
