import type { Logger, TraceContext } from '@sigcast/runtime';
import { parseTraceparent, type Span, startSpan } from '@sigcast/telemetry';
import type { Request, Response } from 'express';
import { clientGone } from './http-metrics.ts';
import { knownIdentity } from './identity.ts';

/** How requests get their log lines and spans. */
export type FollowOptions = {
  /** The share of answers with a log line, among those that anybody can cause in any number. Default: 1, all. */
  readonly accessLogShare?: number | undefined;
  /** Clients are not trusted: each request begins a trace of our own, which links to the client's. */
  readonly isPublic?: boolean;
  /** The template of a request's route. Default: the route that Express found. */
  readonly routeOf?: (req: Request) => string | undefined;
};

/** Who makes a request: an account, and the key if the request has one. */
export type RequestCaller = {
  readonly account: string;
  readonly key?: string | undefined;
  /** The key is revoked or expired, or its account is suspended. Anybody can repeat such requests, so their lines are sampled. */
  readonly refused?: boolean;
};

const callerKey = 'caller';

/** Notes who makes a request, for its log line and span, where no identity token says it. */
export function noteCaller(res: Response, caller: RequestCaller): void {
  res.locals[callerKey] = caller;
}

/** Paths that probes ask every few seconds. Their log lines have the level debug. */
const probes = new Set(['/healthz', '/readyz']);

/**
 * Gives each request a span and a log line. Some answers can be caused in any number: those below 400, and errors of callers
 * that are unknown, refused or over their limit. Such an answer gets a log line by `accessLogShare`, or if its trace is
 * sampled; all others always. The returned function starts to follow a request and returns its trace context.
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
      const isChosen = recording || (!refused && isAlwaysLogged(status, caller));
      if (logs && (isChosen || Math.random() < share)) {
        const line = {
          request_id: requestId,
          // Set even when undefined: the logger would take the trace of the request in whose context this runs.
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
      if (recording) describeRequest(span, req, { route: routeOf(req), status, caller, requestId });
      span?.end(status >= 500 ? String(status) : undefined);
    });
    return span?.context;
  };
}

/** Whether an answer always gets a log line: an error of a known caller, of which its limits allow only so many. */
function isAlwaysLogged(status: number, { account, producer }: Caller): boolean {
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

/** The template of the route that Express found, such as `/v1/signals/:signal_id`. */
function expressRoute(req: Request): string | undefined {
  const path: unknown = (req.route as { path?: unknown } | undefined)?.path;
  return typeof path === 'string' ? req.baseUrl + path : undefined;
}

/** Sets the span's attributes by the semantic conventions for HTTP servers. Not the path: clients put secrets there by mistake. */
function describeRequest(
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
