import { randomUUID } from 'node:crypto';
import { type Logger, withRequestId } from '@sigcast/runtime';
import express, { type Express, type Request, type RequestHandler } from 'express';

const requestIdPattern = /^[A-Za-z0-9._-]{8,128}$/;

/** An Express application with what every service's has: request ids and, at level debug, a log line a request. Add routes, then call `finishApp`. */
export function createApp(log: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  onlyTagsMakeConditional(app);
  app.set('query parser', false); // queries are parsed and checked by `parseQuery`
  app.set('case sensitive routing', true);
  app.use(requestIds());
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
function requestIds(): RequestHandler {
  return (req, res, next) => {
    const given = req.headers['x-request-id'];
    const id = typeof given === 'string' && requestIdPattern.test(given) ? given : `req_${randomUUID()}`;
    req.headers['x-request-id'] = id;
    res.setHeader('X-Request-Id', id);
    withRequestId(id, next);
  };
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
