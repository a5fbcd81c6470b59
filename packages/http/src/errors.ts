import { errorStatus, type Failure, SigcastError } from '@sigcast/contracts';
import type { Logger } from '@sigcast/runtime';
import type { ErrorRequestHandler, Express, Request, Response } from 'express';
import { requestIdOf, runInRequest } from './app.ts';

/** Completes an application: an unknown path is 404, every error is answered in the envelope. Call it after the last route. */
export function finishApp(app: Express, log: Logger): Express {
  app.use((req) => {
    throw new SigcastError('NOT_FOUND', `There is nothing at ${req.path}`);
  });
  app.use(errorHandler(log));
  return app;
}

/** The body of a failed request. */
export function failureBody(error: SigcastError, requestId: string): Failure {
  return {
    success: false,
    error: {
      code: error.code,
      message: error.message,
      request_id: requestId,
      docs: `/docs/errors#${error.code}`,
      ...(error.details === undefined ? {} : { details: error.details.map((d) => ({ ...d })) }),
      ...(error.retryAfterS === undefined ? {} : { retry_after: error.retryAfterS }),
    },
  };
}

/** Answers with an error: status, headers and envelope. */
export function sendError(res: Response, error: SigcastError): void {
  const requestId = requestIdOf(res.req);
  res.setHeader('X-Request-Id', requestId);
  if (error.retryAfterS !== undefined) res.setHeader('Retry-After', String(error.retryAfterS));
  if (error.allow !== undefined) res.setHeader('Allow', error.allow.join(', '));
  if (errorStatus[error.code] === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  res.status(errorStatus[error.code]).json(failureBody(error, requestId));
}

/** Answers with what was thrown, in the envelope; our own failures are logged. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = classify(thrown);
    if (errorStatus[error.code] >= 500) runInRequest(res, () => logFailure(log, req, error, thrown));
    if (res.headersSent) {
      // A part of the answer is sent: only a closed connection tells the client that the rest is missing.
      res.destroy();
      return;
    }
    sendError(res, error);
  };
}

function logFailure(log: Logger, req: Request, error: SigcastError, thrown: unknown): void {
  const request_id = requestIdOf(req);
  if (error.code === 'INTERNAL_ERROR') log.error({ err: thrown, request_id }, 'request failed');
  else log.warn({ err: error, request_id }, 'request failed');
}

/** Turns what was thrown into an error of the API. Express sets a `status` below 500 for faults of the client. */
function classify(thrown: unknown): SigcastError {
  if (thrown instanceof SigcastError) return thrown;
  const { status } = (thrown ?? {}) as { status?: unknown };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new SigcastError('INVALID_REQUEST', 'The request is malformed', { cause: thrown });
  }
  return new SigcastError('INTERNAL_ERROR', 'Something went wrong on our side', { cause: thrown });
}
