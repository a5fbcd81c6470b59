import { currentTrace } from '@sigcast/runtime';
import { startSpan, traceparentOf } from '@sigcast/telemetry';

/** The span of an exchange with a service. Either `answered` or `failed` ends it. */
export type ExchangeTrace = {
  /** The trace context for the service. */
  readonly traceparent: string;
  readonly answered: (status: number) => void;
  readonly failed: (code: string) => void;
};

/** Starts a span for an exchange of the current request; undefined when the request is not traced. */
export function traceExchange(method: string, service: string): ExchangeTrace | undefined {
  const parent = currentTrace();
  if (parent === undefined) return undefined;
  // Most requests are not sampled: then there is no span, and the service gets the parent's context, which says so.
  const span =
    parent.traceFlags & 1 ? startSpan(`${method} ${service}`, { kind: 'client', parent }) : undefined;
  span?.set({ 'http.request.method': method, 'peer.service': service });
  return {
    traceparent: traceparentOf(span?.context ?? parent),
    answered: (status) => {
      span?.set({ 'http.response.status_code': status });
      span?.end(status >= 500 ? String(status) : undefined);
    },
    failed: (code) => span?.end(code),
  };
}
