import { currentTrace } from '@sigcast/runtime';
import { startSpan, traceparentOf } from '@sigcast/telemetry';

/** An exchange with a service as a trace shows it. */
export type ExchangeTrace = {
  /** What the service is told. */
  readonly traceparent: string;
  readonly answered: (status: number) => void;
  readonly failed: (code: string) => void;
};

/** Begins to trace an exchange of the present request; undefined while nothing is traced. One of the two ends it. */
export function traceExchange(method: string, service: string): ExchangeTrace | undefined {
  const parent = currentTrace();
  if (parent === undefined) return undefined;
  // Of most requests nothing is kept: the service is told so, and there is nothing to end.
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
