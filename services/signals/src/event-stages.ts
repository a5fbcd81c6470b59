import { type EventPriority, isOfImport, type OutgoingEvent } from '@sigcast/contracts';
import { currentTrace, type Logger } from '@sigcast/runtime';
import { currentTraceparent, startSpan, traceIdOf, traceparentOf } from '@sigcast/telemetry';
import type { EventTrace } from './domain/ports.ts';

/** A new trace for one of an import's many events, linked to the trace of the import's request. */
export function traceOfImported(): EventTrace | undefined {
  const request = currentTrace();
  if (request === undefined) return undefined;
  const span = startSpan('import event', { kind: 'internal', links: [request] });
  return span && { traceparent: traceparentOf(span.context), stored: () => span.end() };
}

/** The trace of the request that makes an event. */
export function traceOfRequest(): EventTrace | undefined {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? undefined : { traceparent, stored: () => undefined };
}

/** Logs each stage of an event. An import's events, which are many, are logged at level debug. */
export function eventStages(log: Logger) {
  const stage = (message: string) => (event: OutgoingEvent, priority: EventPriority) => {
    const level = isOfImport(event.type, priority) ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const { id, type, data, traceparent } = event;
    const trace = traceparent === undefined ? {} : { trace_id: traceIdOf(traceparent) };
    log[level]({ event_id: id, event: type, signal_id: data.id, ...trace }, message);
  };
  return { stored: stage('event stored'), relayed: stage('event relayed') };
}
