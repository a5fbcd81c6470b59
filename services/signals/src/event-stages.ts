import { type EventPriority, isOfImport, type OutgoingEvent } from '@sigcast/contracts';
import { currentTrace, type Logger } from '@sigcast/runtime';
import { currentTraceparent, startSpan, traceIdOf, traceparentOf } from '@sigcast/telemetry';
import type { EventTrace } from './domain/ports.ts';

/** Events of an import are so many that each begins a trace of its own, with a link to the import's request. */
export function traceOfImported(): EventTrace | undefined {
  const request = currentTrace();
  if (request === undefined) return undefined;
  const span = startSpan('import event', { kind: 'internal', links: [request] });
  return span && { traceparent: traceparentOf(span.context), stored: () => span.end() };
}

/** The trace of an event that a request makes by itself: the request's. */
export function traceOfRequest(): EventTrace | undefined {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? undefined : { traceparent, stored: () => undefined };
}

/** A log line for each stage of an event; of those of an import, which come in great number, at level debug. */
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
