import { type EventPriority, isOfImport } from '@sigcast/contracts';
import { type Logger, withContext } from '@sigcast/runtime';
import { parseTraceparent, startSpan } from '@sigcast/telemetry';
import type { ClaimedDelivery, SendResult } from './domain/attempt-ports.ts';
import type { FannedOutEvent } from './domain/event-body.ts';
import type { Sender } from './sending/sender.ts';

/**
 * Returns a function that sends, and logs each attempt (at level debug for events of an import) with a span in its event's
 * trace. The receiver gets no trace context.
 */
export function loggedSend(
  send: Sender['send'],
  log: Logger,
): (claimed: ClaimedDelivery) => Promise<SendResult> {
  return async (claimed) => {
    const { delivery, traceparent } = claimed;
    const number = delivery.attemptCount + 1;
    const parent = parseTraceparent(traceparent);
    const span = parent && startSpan('attempt delivery', { kind: 'client', parent });
    const startedAt = performance.now();
    const context = { requestId: delivery.eventId, trace: span?.context };
    return withContext(context, async () => {
      const result = await send(claimed).catch((error: unknown) => {
        span?.end(error instanceof Error ? error.name : 'unknown');
        throw error;
      });
      log[claimed.imported ? 'debug' : 'info'](
        {
          event_id: delivery.eventId,
          event: delivery.event,
          signal_id: delivery.signalId,
          delivery_id: delivery.id,
          account: delivery.account,
          attempt: number,
          batch: claimed.batch?.id,
          events: claimed.batch?.events.length,
          outcome: result.outcome,
          status: result.http_status,
          duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
        },
        'delivery attempted',
      );
      if (span?.recording) {
        span.set({
          'http.request.method': 'POST',
          'http.response.status_code': result.http_status ?? undefined,
          // Counts from 1, as accounts see it. OpenTelemetry's `resend_count` below counts the repetitions.
          'sigcast.attempt': number,
          'http.request.resend_count': number > 1 ? number - 1 : undefined,
          'sigcast.outcome': result.outcome,
          'sigcast.event_id': delivery.eventId,
          'sigcast.delivery_id': delivery.id,
          'sigcast.account': delivery.account,
          'server.address': URL.parse(claimed.url)?.hostname,
        });
      }
      span?.end(result.outcome === 'succeeded' ? undefined : result.outcome);
      return result;
    });
  };
}

/** Returns a function that logs an event whose deliveries are made, at level debug for the many events of an import. */
export function fanOutLogger(log: Logger) {
  return ({ id, type, data }: FannedOutEvent, deliveries: number, priority: EventPriority): void =>
    log[isOfImport(type, priority) ? 'debug' : 'info'](
      { event_id: id, event: type, signal_id: data.id, deliveries },
      'event fanned out',
    );
}
