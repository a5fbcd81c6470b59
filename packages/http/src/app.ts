import { randomUUID } from 'node:crypto';
import { SigcastError } from '@sigcast/contracts';
import { type Logger, type WorkContext, withContext } from '@sigcast/runtime';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { type FollowOptions, requestFollower } from './follow-request.ts';

const requestIdPattern = /^[A-Za-z0-9._-]{8,128}$/;

export type AppOptions = FollowOptions & {
  /** To which requests the application answers with the id itself; to none unless given. */
  readonly tellsIdItself?: (req: Request) => boolean;
};

/**
 * An Express application with what every service's has: request ids, a log line and a span a request. Add routes, then call
 * `finishApp`.
 */
export function createApp(log: Logger, options: AppOptions = {}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  onlyTagsMakeConditional(app);
  app.set('query parser', false); // queries are parsed and checked by `parseQuery`
  app.set('case sensitive routing', true);
  app.use(requestIds(log, options));
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
function requestIds(log: Logger, options: AppOptions): RequestHandler {
  const { tellsIdItself = () => false } = options;
  const follow = requestFollower(log, options);
  return (req, res, next) => {
    const given = req.headers['x-request-id'];
    const id = typeof given === 'string' && requestIdPattern.test(given) ? given : `req_${randomUUID()}`;
    req.headers['x-request-id'] = id;
    if (!tellsIdItself(req)) res.setHeader('X-Request-Id', id);
    const context: WorkContext = { requestId: id, trace: follow(req, res, id) };
    res.locals[contextKey] = context;
    const problem = unclear(req);
    if (problem === undefined) {
      withContext(context, next);
      return;
    }
    res.shouldKeepAlive = false;
    withContext(context, () => next(problem));
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

const contextKey = 'context';

/**
 * Does `work` as part of a request, wherever it is called from: what a client library calls for an answer runs as part of
 * the request that opened the connection, not of the one that is answered.
 */
export function asPartOf(res: Response, work: () => void): void {
  const context = res.locals[contextKey] as WorkContext | undefined;
  if (context === undefined) work();
  else withContext(context, work);
}

/** The id of a request, as `requestIds` settled it. */
export function requestIdOf(req: { headers: Record<string, string | string[] | undefined> }): string {
  const id = req.headers['x-request-id'];
  return typeof id === 'string' ? id : 'unknown';
}
