import { eventIdHeader, invalidRequest, newSignalSchema, SigcastError } from '@sigcast/contracts';
import { idempotencyHeader, identityOf, parseBody, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { idempotencyKey } from '../domain/idempotency.ts';
import { ingestSignals } from '../domain/ingest-signals.ts';
import type { WriteDeps } from '../domain/ports.ts';
import { toDetail } from '../domain/signal.ts';
import { changeSource } from './change-source.ts';

/** `POST /internal/v1/signals`: creates one signal. The answer to a repetition has `Idempotent-Replayed: true`. */
export function createSignalRoute(deps: WriteDeps): RequestHandler {
  return async (req, res) => {
    const key = idempotencyHeader(req);
    const input = await parseBody(newSignalSchema, req);
    const producer = identityOf(req).subject;
    const [outcome] = await ingestSignals(
      deps,
      [{ input, key: key === undefined ? undefined : idempotencyKey({ producer, key }) }],
      { priority: 'live', source: changeSource(req) },
    );
    switch (outcome?.kind) {
      case 'created':
        res.setHeader(eventIdHeader, outcome.eventId);
        return sendData(res, toDetail(outcome.signal), 201);
      case 'repeated':
        res.setHeader('Idempotent-Replayed', 'true');
        return sendData(res, toDetail(outcome.signal), 201);
      case 'rejected':
        throw invalidRequest(outcome.details);
      case 'conflict':
      case undefined:
        throw new SigcastError('CONFLICT', 'This Idempotency-Key was used for another body', {
          details: [{ field: 'Idempotency-Key', message: 'was used for another body' }],
        });
    }
  };
}
