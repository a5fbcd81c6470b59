import { randomUUID } from 'node:crypto';
import { SigcastError } from '@sigcast/contracts';
import { type Logger, type WorkContext, withContext } from '@sigcast/runtime';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { type FollowOptions, requestFollower } from './follow-request.ts';

const requestIdPattern = /^[A-Za-z0-9._-]{8,128}$/;

/**
 * Creates an Express application with request ids, and with a log line and a span for each request. Add routes, then call
 * `finishApp`.
 */
export function createApp(log: Logger, options: FollowOptions = {}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  requireETagForNotModified(app);
  app.set('query parser', false); // queries are parsed and checked by `parseQuery`
  app.set('case sensitive routing', true);
  app.set('strict routing', true); // a path with a slash at its end is another path
  app.use(requestIds(log, options), (req, res, next) => {
    res.setHeader('X-Request-Id', requestIdOf(req));
    next();
  });
  return app;
}

/** Lets only answers with an ETag be 304. Express alone answers every request with `If-None-Match: *` by 304. */
function requireETagForNotModified(app: Express): void {
  const fresh = Object.getOwnPropertyDescriptor(express.request, 'fresh');
  Object.defineProperty(app.request, 'fresh', {
    get(this: Request): unknown {
      return this.res?.hasHeader('ETag') === true && fresh?.get?.call(this);
    },
  });
}

/**
 * Begins a request: its id, log line, span and context. Keeps the client's `X-Request-Id` when it is 8–128 characters of
 * `[A-Za-z0-9._-]`, else makes one. An ambiguous request is refused.
 */
export function requestIds(log: Logger, options: FollowOptions): RequestHandler {
  const follow = requestFollower(log, options);
  return (req, res, next) => {
    const given = req.headers['x-request-id'];
    const id = typeof given === 'string' && requestIdPattern.test(given) ? given : `req_${randomUUID()}`;
    req.headers['x-request-id'] = id;
    const context: WorkContext = { requestId: id, trace: follow(req, res, id) };
    res.locals[contextKey] = context;
    const problem = ambiguityOf(req);
    if (problem === undefined) {
      withContext(context, next);
      return;
    }
    res.shouldKeepAlive = false;
    withContext(context, () => next(problem));
  };
}

/**
 * The error for a request that Node's parser accepts and HTTP does not: without exactly one Host header (RFC 9112, 3.2), with
 * several Authorization headers (RFC 9110, 5.3), or with an unknown transfer coding (RFC 9112, 6.1).
 */
function ambiguityOf({ rawHeaders, headers, httpVersion }: Request): SigcastError | undefined {
  let hosts = 0;
  let credentials = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name?.length === 13 && name.toLowerCase() === 'authorization') credentials += 1;
  }
  if (hosts > 1) return new SigcastError('INVALID_REQUEST', 'There must be one Host header, not several');
  if (credentials > 1)
    return new SigcastError('INVALID_REQUEST', 'There must be one Authorization header, not several');
  if (hosts === 0 && httpVersion === '1.1')
    return new SigcastError('INVALID_REQUEST', 'There must be a Host header');
  const coding = headers['transfer-encoding'];
  return coding === undefined || coding.toLowerCase() === 'chunked' ? undefined : unknownTransferCoding();
}

/** The error for a body with a transfer coding other than `chunked`. */
export function unknownTransferCoding(): SigcastError {
  return new SigcastError('NOT_IMPLEMENTED', 'Transfer-Encoding must be chunked');
}

const contextKey = 'context';

/**
 * Runs `work` in the context of a request. Needed in callbacks of a client library: they run in the context of the request
 * that opened the connection, which may be another one.
 */
export function runInRequest(res: Response, work: () => void): void {
  const context = res.locals[contextKey] as WorkContext | undefined;
  if (context === undefined) work();
  else withContext(context, work);
}

/** The id of a request, as `requestIds` has set it. */
export function requestIdOf(req: { headers: Record<string, string | string[] | undefined> }): string {
  const id = req.headers['x-request-id'];
  return typeof id === 'string' ? id : 'unknown';
}
