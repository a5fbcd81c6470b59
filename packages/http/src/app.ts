import { randomUUID } from 'node:crypto';
import { SigcastError } from '@sigcast/contracts';
import { type Logger, withRequestId } from '@sigcast/runtime';
import express, { type Express, type Request, type RequestHandler } from 'express';

const requestIdPattern = /^[A-Za-z0-9._-]{8,128}$/;

/**
 * An Express application with what every service's has: request ids and, at level debug, a log line a request. Add routes,
 * then call `finishApp`. `tellsIdItself`: to which requests the application answers with the id itself; to none unless given.
 */
export function createApp(log: Logger, tellsIdItself: (req: Request) => boolean = () => false): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  onlyTagsMakeConditional(app);
  app.set('query parser', false); // queries are parsed and checked by `parseQuery`
  app.set('case sensitive routing', true);
  app.use(requestIds(tellsIdItself));
  if (log.isLevelEnabled('debug')) app.use(accessLog(log));
  return app;
}

/** Express would answer `If-None-Match: *` with 304 for everything; only what carries an ETag can be asked for so. */
function onlyTagsMakeConditional(app: Express): void {
  const fresh = Object.getOwnPropertyDescriptor(express.request, 'fresh');
  Object.defineProperty(app.request, 'fresh', {
    get(this: Request): unknown {
      return this.res?.hasHeader('ETag') === true && fresh?.get?.call(this);
    },
  });
}

/** Keeps the client's `X-Request-Id` when it is 8–128 characters of `[A-Za-z0-9._-]`, else makes one; answers with it. */
function requestIds(tellsIdItself: (req: Request) => boolean): RequestHandler {
  return (req, res, next) => {
    const given = req.headers['x-request-id'];
    const id = typeof given === 'string' && requestIdPattern.test(given) ? given : `req_${randomUUID()}`;
    req.headers['x-request-id'] = id;
    if (!tellsIdItself(req)) res.setHeader('X-Request-Id', id);
    const problem = unclear(req);
    if (problem === undefined) {
      withRequestId(id, next);
      return;
    }
    res.shouldKeepAlive = false;
    withRequestId(id, () => next(problem));
  };
}

/** What Node's parser lets pass and HTTP does not: who is asked has to be said once (RFC 9112, 3.2), a transfer coding to be known (6.1). */
function unclear({ rawHeaders, headers, httpVersion }: Request): SigcastError | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return new SigcastError('INVALID_REQUEST', 'There must be one Host header, not several');
  if (hosts === 0 && httpVersion === '1.1')
    return new SigcastError('INVALID_REQUEST', 'There must be a Host header');
  const coding = headers['transfer-encoding'];
  return coding === undefined || coding.toLowerCase() === 'chunked' ? undefined : unknownTransferCoding();
}

/** A body sent in a way that no server of ours can read. */
export function unknownTransferCoding(): SigcastError {
  return new SigcastError('NOT_IMPLEMENTED', 'Transfer-Encoding must be chunked');
}

/** The id of a request, as `requestIds` settled it. */
export function requestIdOf(req: { headers: Record<string, string | string[] | undefined> }): string {
  const id = req.headers['x-request-id'];
  return typeof id === 'string' ? id : 'unknown';
}

/** For debugging: what failed is logged by the error handler in any case, and all is counted in metrics. */
function accessLog(log: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    res.on('close', () => {
      log.debug(
        {
          request_id: requestIdOf(req),
          method: req.method,
          path: req.path,
          status: res.writableFinished ? res.statusCode : 'aborted',
          duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
        },
        'request',
      );
    });
    next();
  };
}
