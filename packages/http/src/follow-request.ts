import type { Logger, TraceContext } from '@sigcast/runtime';
import { parseTraceparent, type Span, startSpan } from '@sigcast/telemetry';
import type { Request, Response } from 'express';
import { clientGone } from './http-metrics.ts';
import { knownIdentity } from './identity.ts';

export type FollowOptions = {
  /** Of the answers that anybody can cause in any number, the share that gets a log line; all unless given. */
  readonly accessLogShare?: number | undefined;
  /** Its clients are not ours: a trace of theirs is linked to, and a trace of our own begins here. */
  readonly isPublic?: boolean;
  /** The template of a request's route where it is none of Express'. Undefined where there is none. */
  readonly routeOf?: (req: Request) => string | undefined;
};

/** Who makes a request: an account, by which of its keys if by one. */
export type RequestCaller = {
  readonly account: string;
  readonly key?: string | undefined;
  /** It was not let in, which it may be any number of times. */
  readonly refused?: boolean;
};

const callerKey = 'caller';

/** Takes note of who makes a request, where no identity token says so. */
export function noteCaller(res: Response, caller: RequestCaller): void {
  res.locals[callerKey] = caller;
}

/** Asked every few seconds, and by nobody who wonders about it later. */
const probes = new Set(['/healthz', '/readyz']);

/**
 * Follows requests to their ends: a span of each, and a log line. Answers that anybody can cause in any number (below 400,
 * and all errors of callers that are unknown, not let in or over their limit) get one by share or if their trace is sampled,
 * all others always. The returned function begins with one, and says where in which trace it is.
 */
export function requestFollower(
  log: Logger,
  { accessLogShare: share = 1, isPublic = false, routeOf = expressRoute }: FollowOptions,
): (req: Request, res: Response, requestId: string) => TraceContext | undefined {
  return (req, res, requestId) => {
    const isProbe = probes.has(req.url);
    const span = isProbe ? undefined : startRequestSpan(req, isPublic);
    const logs = log.isLevelEnabled(isProbe ? 'debug' : 'info');
    if (!logs && span === undefined) return undefined;
    const startedAt = performance.now();
    res.on('close', () => {
      const status = res.headersSent ? res.statusCode : clientGone;
      const recording = span?.recording === true;
      const { refused, ...caller } = callerOf(req, res);
      if (logs && (recording || (!refused && isRemarkable(status, caller)) || Math.random() < share)) {
        const line = {
          request_id: requestId,
          // Said even where there is none: this may run as part of another request.
          trace_id: span?.context.traceId,
          ...caller,
          method: req.method,
          route: routeOf(req),
          status,
          // The client went away before it had the answer.
          ...(!res.writableFinished && { aborted: true }),
          duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
        };
        if (isProbe) log.debug(line, 'request');
        else log.info(line, 'request');
      }
      if (recording) tell(span, req, { route: routeOf(req), status, caller, requestId });
      span?.end(status >= 500 ? String(status) : undefined);
    });
    return span?.context;
  };
}

/** Nobody can cause more of these than an account's limits let through. What fails on our side has a line of its own besides. */
function isRemarkable(status: number, { account, producer }: Caller): boolean {
  return status >= 400 && status !== 429 && (account ?? producer) !== undefined;
}

type Caller = Partial<RequestCaller> & { readonly producer?: string };

function callerOf(req: Request, res: Response): Caller {
  const noted = res.locals[callerKey] as RequestCaller | undefined;
  if (noted !== undefined) return noted;
  const identity = knownIdentity(req);
  if (identity === undefined) return {};
  return identity.issuer === 'gateway' ? { account: identity.subject } : { producer: identity.subject };
}

function startRequestSpan(req: Request, isPublic: boolean): Span | undefined {
  const given = parseTraceparent(req.headers.traceparent);
  if (!isPublic) return startSpan(req.method, { kind: 'server', parent: given });
  return startSpan(req.method, { kind: 'server', ...(given && { links: [given] }) });
}

/** The template of the route that Express found, such as `/v1/signals/:id`. */
export function expressRoute(req: Request): string | undefined {
  const path: unknown = (req.route as { path?: unknown } | undefined)?.path;
  return typeof path === 'string' ? req.baseUrl + path : undefined;
}

/** By the semantic conventions for HTTP servers. Never the path itself: clients put secrets there by mistake. */
function tell(
  span: Span,
  req: Request,
  {
    route,
    status,
    caller,
    requestId,
  }: { route: string | undefined; status: number; caller: Caller; requestId: string },
): void {
  if (route !== undefined) span.rename(`${req.method} ${route}`);
  span.set({
    'http.request.method': req.method,
    'http.route': route,
    'http.response.status_code': status,
    'sigcast.request_id': requestId,
    'sigcast.account': caller.account,
    'sigcast.producer': caller.producer,
  });
}
