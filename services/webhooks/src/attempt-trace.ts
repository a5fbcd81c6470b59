import { type EventPriority, isOfImport, type SignalEvent } from '@sigcast/contracts';
import { type Logger, withContext } from '@sigcast/runtime';
import { parseTraceparent, startSpan } from '@sigcast/telemetry';
import type { Claimed } from './domain/attempting.ts';
import type { Sender, SendResult } from './sending/sender.ts';

/**
 * Sends with a log line (of an import's events at level debug) and a span for each attempt, in the trace of its event. Whatever this process was busy with as the
 * attempt came due has no part in it. Nothing of it is told to the receiver.
 */
export function followAttempts(send: Sender['send'], log: Logger): (claimed: Claimed) => Promise<SendResult> {
  return async (claimed) => {
    const { delivery, traceparent } = claimed;
    const number = delivery.attemptCount + 1;
    const parent = parseTraceparent(traceparent);
    const span = parent && startSpan('attempt delivery', { kind: 'client', parent });
    const startedAt = performance.now();
    const context = { requestId: delivery.eventId, trace: span?.context };
    return withContext(context, async () => {
      const result = await send(claimed);
      log[claimed.imported ? 'debug' : 'info'](
        {
          event_id: delivery.eventId,
          event: delivery.event,
          signal_id: delivery.signalId,
          delivery_id: delivery.id,
          account: delivery.account,
          attempt: number,
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
          // Counts from 1, as an account sees it; the conventions' count begins with the first repetition.
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

/** A log line for each event whose deliveries are made; of those of an import, which come in great number, at level debug. */
export function fanOutLog(log: Logger) {
  return ({ id, type, data }: SignalEvent, deliveries: number, priority: EventPriority): void =>
    log[isOfImport(type, priority) ? 'debug' : 'info'](
      { event_id: id, event: type, signal_id: data.id, deliveries },
      'event fanned out',
    );
}
