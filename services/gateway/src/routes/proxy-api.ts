import { errorStatus, SigcastError } from '@sigcast/contracts';
import { clientGone, noteCaller, type RequestCaller, requestIdOf, sendError } from '@sigcast/http';
import type { Request, RequestHandler, Response } from 'express';
import type { Admission, AdmissionController } from '../domain/admission.ts';
import { keyIdOf } from '../domain/api-key.ts';
import {
  type ApiRoute,
  findApiRoute,
  isApiPath,
  originForm,
  pathOf,
  type UpstreamName,
} from '../domain/api-routes.ts';
import type { OpenRequests } from '../domain/open-requests.ts';
import type { StreamPrincipal } from '../domain/stream-principal.ts';
import type { AdmissionOutcome, GatewayMetrics } from '../metrics.ts';
import { upstreamHeaders } from '../proxy/headers.ts';
import type { IdentityTokens } from '../proxy/identity.ts';
import type { OpenStreams, StreamSlot } from '../proxy/open-streams.ts';
import { ProxyExchange } from '../proxy/proxy-exchange.ts';
import { expectsContinue, hasBody, readBody } from '../proxy/request-body.ts';
import { traceExchange } from '../proxy/trace-exchange.ts';
import type { Upstream } from '../proxy/upstream.ts';
import { type AnswerHeaders, answerPreflight, apiHeaders } from './api-headers.ts';
import { clientAddress } from './client-address.ts';
import { compressAnswer } from './compress.ts';
import { addRateLimitHeaders } from './rate-limit-headers.ts';

/** The services. Without the tracker, requests for the history of signals and for the past are answered 503. */
export type Upstreams = Readonly<
  Record<Exclude<UpstreamName, 'tracker'>, Upstream> & { tracker: Upstream | undefined }
>;

export type ProxyApiDeps = {
  readonly controller: AdmissionController;
  readonly identities: IdentityTokens;
  readonly upstreams: Upstreams;
  readonly streams: OpenStreams;
  readonly openRequests: OpenRequests;
  /** `body`: for sending a body. `stalled`: how long a client may read nothing of an answer. */
  readonly clientTimeoutsMs: { readonly body: number; readonly stalled: number };
  /** Called with the key of every admitted request. Must return at once. */
  readonly noteUse: (sha256: string) => void;
  /** Called for every answer to a request with an account's key. Must return at once. */
  readonly noteAnswer: (account: string, status: number, refused: boolean) => void;
  readonly metrics: GatewayMetrics;
  /** Whether the nearest hop is our own proxy, whose `X-Forwarded-For` can be trusted. */
  readonly trustProxy: boolean;
};

/** Handles everything under /v1: authenticates, counts against the limits, and forwards to the service. */
export function proxyApi(
  deps: ProxyApiDeps,
  strictTransport: (req: Request) => string | undefined,
): RequestHandler {
  return (req, res, next) => {
    const target = originForm(req.url);
    const path = pathOf(target);
    if (!isApiPath(path)) {
      next();
      return;
    }
    compressAnswer(req, res);
    const answerHeaders = apiHeaders(requestIdOf(req), strictTransport(req));
    if (answerPreflight(req, res, answerHeaders)) return;
    const setAnswerHeaders = () => {
      if (!res.headersSent) res.setHeaders(new Map(Object.entries(answerHeaders)));
    };
    const startedAt = performance.now();
    const route = findApiRoute(path, target.slice(path.length + 1));
    const address = clientAddress(req, deps.trustProxy);
    const count = (status: number) => {
      const durationMs = performance.now() - startedAt;
      deps.metrics.http.observe({ method: req.method, route: route?.template, status, durationMs });
    };
    let counted = false;
    deps.controller
      .admit(req.headers.authorization, address)
      .then(async (admission) => {
        deps.metrics.admission(outcomeOf(admission), admission.degraded);
        addRateLimitHeaders(answerHeaders, admission.report, admission.degraded);
        const caller = callerOf(admission);
        if (caller !== undefined) noteCaller(res, caller);
        const answered = (status: number) => {
          counted = true;
          count(status);
          const { account, key, admitted } = admission;
          if (account !== undefined && key !== undefined) deps.noteAnswer(account, status, !admitted);
        };
        const fail = (error: unknown) => {
          const code = error instanceof SigcastError ? error.code : 'INTERNAL_ERROR';
          answered(errorStatus[code]);
          // Errors under /v1 depend on the caller and the moment: no cache may keep them.
          answerHeaders['cache-control'] = 'no-store';
          setAnswerHeaders();
          // Sent from here: there are many refusals, and the error handler behind all routes costs more than a refusal.
          if (error instanceof SigcastError && errorStatus[code] < 500) sendError(res, error);
          else next(error);
        };
        if (!admission.admitted) {
          fail(admission.error);
          return;
        }
        if (admission.key !== undefined) deps.noteUse(admission.key.sha256);
        if (res.destroyed) {
          answered(clientGone);
          return;
        }
        try {
          await forward(deps, {
            req,
            res,
            answerHeaders,
            target,
            path,
            route,
            address,
            admission,
            fail,
            answered,
          });
        } catch (error) {
          fail(error);
        }
      })
      .catch((error: unknown) => {
        if (!counted) count(errorStatus.INTERNAL_ERROR);
        setAnswerHeaders();
        next(error);
      });
  };
}

/** An absent service is there only after a deployment: no client should ask again soon. */
const absentServiceRetryS = 60;

/** Counted for an answer that the service broke off in the middle. The client saw the status of the answer. */
const brokenOffStatus = 502;

function callerOf(admission: Admission): RequestCaller | undefined {
  const { account, key } = admission;
  if (account !== undefined) return key === undefined ? { account } : { account, key: keyIdOf(key.sha256) };
  const dead = admission.admitted ? undefined : admission.deadKey;
  return dead && { account: dead.account, key: keyIdOf(dead.sha256), refused: true };
}

function outcomeOf(admission: Admission): AdmissionOutcome {
  if (admission.admitted) return 'admitted';
  if (admission.account !== undefined) return 'limited';
  return admission.error.code === 'SERVICE_UNAVAILABLE' ? 'unavailable' : 'refused';
}

type Admitted = Extract<Admission, { admitted: true }>;

type ForwardedRequest = {
  readonly req: Request;
  readonly res: Response;
  readonly answerHeaders: AnswerHeaders;
  readonly target: string;
  readonly path: string;
  /** Undefined when the path is unknown. */
  readonly route: ApiRoute | undefined;
  /** The client address by which requests are counted. */
  readonly address: string;
  readonly admission: Admitted;
  /** Either `fail` or `answered` is called, once. */
  readonly fail: (error: unknown) => void;
  readonly answered: (status: number) => void;
};

/** Reads an admitted request's body and forwards the request. @throws {SigcastError} when no service takes such a request. */
async function forward(
  deps: ProxyApiDeps,
  { req, res, answerHeaders, target, path, route, address, admission, fail, answered }: ForwardedRequest,
): Promise<void> {
  if (route === undefined) throw new SigcastError('NOT_FOUND', `There is nothing at ${path}`);
  if (!route.methods.includes(req.method)) {
    const allowed = route.methods.join(', ');
    throw new SigcastError('METHOD_NOT_ALLOWED', `${req.method} is not allowed here; allowed: ${allowed}`, {
      allow: route.methods,
    });
  }
  const upstream = deps.upstreams[route.upstream];
  if (upstream === undefined) {
    throw new SigcastError(
      'SERVICE_UNAVAILABLE',
      'The history of signals, which as_of and backtests need, is not available on this system',
      {
        retryAfterS: absentServiceRetryS,
      },
    );
  }
  let stream: StreamSlot | undefined;
  if (route.upstream === 'streams' && req.method === 'GET') {
    stream = await deps.streams.acquire(principalOf(admission), address);
    whenClosed(res, stream.release);
  } else whenClosed(res, deps.openRequests.enter(admission.account, address));
  // A body of GET or HEAD means nothing (RFC 9110, 9.3.1).
  const mayHaveBody = req.method !== 'GET' && req.method !== 'HEAD';
  const body =
    mayHaveBody && hasBody(req) ? await readExpectedBody(req, res, deps.clientTimeoutsMs.body) : null;
  if (body === undefined || res.destroyed) {
    answered(clientGone);
    return;
  }
  const trace = traceExchange(req.method, upstream.name);
  const requestHeaders = upstreamHeaders(req, {
    requestId: requestIdOf(req),
    identity: deps.identities.tokenFor(admission.account),
    bodyLength: body === null ? undefined : String(body.length),
    traceparent: trace?.traceparent,
  });
  new ProxyExchange({
    req,
    res,
    answerHeaders,
    upstream,
    target,
    requestHeaders,
    body,
    stream,
    stalledMs: deps.clientTimeoutsMs.stalled,
    fail: (error) => {
      if (errorStatus[error.code] >= 500) deps.metrics.upstreamFailure(route.upstream, error.code);
      trace?.failed(error.code);
      fail(error);
    },
    answered: (status) => {
      if (status === brokenOffStatus) deps.metrics.upstreamFailure(route.upstream, 'BROKEN_OFF');
      trace?.answered(status);
      answered(status);
    },
  }).start();
}

/** The key or session that a stream belongs to. The stream ends when the key or session ends. */
function principalOf({ account, key, sessionId }: Admitted): StreamPrincipal {
  return key === undefined ? { account, sessionId: sessionId ?? '' } : { account, keySha256: key.sha256 };
}

/** Calls `then` when the answer is sent or the client is gone; at once when the client is gone already. */
function whenClosed(res: Response, then: () => void): void {
  if (res.destroyed) then();
  else res.on('close', then);
}

/** Reads the body. Sends `100 Continue` first to a client that waits for it (RFC 9110, 10.1.1). */
function readExpectedBody(req: Request, res: Response, timeoutMs: number): Promise<Buffer | undefined> {
  if (expectsContinue(req)) res.writeContinue();
  return readBody(req, timeoutMs);
}
