import { SigcastError } from '@sigcast/contracts';
import { idempotencyHeader, identityOf, noQuery, sendData } from '@sigcast/http';
import type { Request, RequestHandler } from 'express';
import { type ImportReport, importSignals } from '../domain/import-signals.ts';
import type { WriteDeps } from '../domain/ports.ts';
import { changeSource } from './change-source.ts';
import { ndjsonLines } from './ndjson-lines.ts';

/** The media types in use for newline-delimited JSON. */
const mediaTypes = [
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
  'application/jsonlines',
  'application/json-lines',
];

/** `POST /internal/v1/signals/import`: creates a signal for every line of a stream, and reports the lines that failed. */
export function importSignalsRoute(
  deps: WriteDeps,
  requireUnrevoked: (identity: ReturnType<typeof identityOf>) => void,
): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const key = idempotencyHeader(req);
    requireNdjson(req);
    try {
      const identity = identityOf(req);
      const origin = { producer: identity.subject, source: changeSource(req), key };
      // Not destroyed where the import fails in the middle, so that the failure is answered.
      const lines = req.iterator({ destroyOnReturn: false });
      const onBatch = (report: ImportReport) => {
        // An import may go on for hours: a token that is revoked meanwhile ends it.
        try {
          requireUnrevoked(identity);
        } catch (cause) {
          throw endedAfter(report, cause);
        }
        // Restarts the socket's idle timeout: the service reads nothing while a batch waits, and the client can't send.
        req.socket.setTimeout(req.socket.timeout ?? 0);
      };
      sendData(res, await importSignals({ ...deps, onBatch }, ndjsonLines(lines), origin));
    } catch (error) {
      // Where the client has gone away there is nobody to answer. Stored signals stay.
      if (req.readableAborted) return;
      res.shouldKeepAlive = false; // the rest of the body is not read
      throw error;
    }
  };
}

/** The refusal of the rest of an import, with the report of what came before it. */
function endedAfter(
  { received, created, duplicates, failed, errors }: ImportReport,
  cause: unknown,
): unknown {
  if (!(cause instanceof SigcastError) || received === 0) return cause;
  return new SigcastError(
    cause.code,
    `${cause.message}. Of ${received} lines before, ${created} were created, ${duplicates} repeated and ${failed} failed`,
    { cause, details: errors.map(({ line, message }) => ({ field: `line ${line}`, message })) },
  );
}

function requireNdjson(req: Request): void {
  const mediaType = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (!mediaTypes.includes(mediaType) || encoding !== 'identity') {
    throw new SigcastError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be newline-delimited JSON, with Content-Type: application/x-ndjson and no Content-Encoding',
    );
  }
}
