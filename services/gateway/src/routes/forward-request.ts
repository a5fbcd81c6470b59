import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorStatus, SigcastError } from '@sigcast/contracts';
import { announcesBody, clientGone, readBody, requestIdOf } from '@sigcast/http';
import type { Admission } from '../domain/admission.ts';
import { keyIdOf } from '../domain/api-key.ts';
import { type ApiRoute, targetOf } from '../domain/api-routes.ts';
import type { AuditLog } from '../domain/audit.ts';
import type { FoundSession } from '../domain/holder.ts';
import { requireRole } from '../domain/members.ts';
import type { OpenRequests } from '../domain/open-requests.ts';
import type { AccountQuotas } from '../domain/plan.ts';
import type { KeyUse } from '../domain/restrictions.ts';
import type { StreamPrincipal } from '../domain/stream-principal.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { upstreamHeaders } from '../proxy/headers.ts';
import type { ServiceIdentities } from '../proxy/identity.ts';
import type { OpenStreams, StreamSlot } from '../proxy/open-streams.ts';
import type { Upstreams } from '../proxy/open-upstreams.ts';
import { ProxyExchange } from '../proxy/proxy-exchange.ts';
import type { AnswerLimits } from '../proxy/slow-clients.ts';
import { traceExchange } from '../proxy/trace-exchange.ts';
import type { AnswerHeaders } from './api-headers.ts';
import { originOf } from './client-address.ts';

export type ForwardDeps = {
  readonly identities: ServiceIdentities;
  readonly upstreams: Upstreams;
  readonly streams: OpenStreams;
  readonly openRequests: OpenRequests;
  /** What an account's plan allows. @throws {SigcastError} SERVICE_UNAVAILABLE when the store can't be asked. */
  readonly quotasOf: (account: string) => Promise<AccountQuotas>;
  readonly audit: Pick<AuditLog, 'add' | 'withdraw'>;
  /** Whether the nearest hop is our own proxy, whose `X-Forwarded-For` can be trusted. */
  readonly trustProxy: boolean;
  readonly answerLimits: AnswerLimits;
  readonly metrics: GatewayMetrics;
};

/** An absent service is there only after a deployment: no client should ask again soon. */
const absentServiceRetryS = 60;

/** Counted for an answer that the service broke off in the middle. The client saw the status of the answer. */
const brokenOffStatus = 502;

type Admitted = Extract<Admission, { admitted: true }>;

export type ForwardedRequest = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly answerHeaders: AnswerHeaders;
  readonly target: string;
  readonly path: string;
  /** Undefined when the path is unknown. */
  readonly route: ApiRoute | undefined;
  /** The client address by which requests are counted. */
  readonly address: string;
  readonly use: KeyUse;
  readonly admission: Admitted;
  /**
   * Looks at the key or session again.
   * @returns the session as it is now; undefined for a key.
   * @throws {SigcastError} when it is not valid any more, or the store can't be asked.
   */
  readonly confirm: () => Promise<FoundSession | undefined>;
  /** Either `fail` or `answered` is called, once. */
  readonly fail: (error: unknown) => void;
  readonly answered: (status: number) => void;
};

/** Reads an admitted request's body and forwards the request. @throws {SigcastError} when no service takes such a request. */
export async function forwardRequest(
  deps: ForwardDeps,
  {
    req,
    res,
    answerHeaders,
    target,
    path,
    route,
    address,
    use,
    admission,
    confirm,
    fail,
    answered,
  }: ForwardedRequest,
): Promise<void> {
  if (route === undefined) throw new SigcastError('NOT_FOUND', `There is nothing at ${path}`);
  if (!route.methods.includes(req.method ?? '')) {
    const allowed = route.methods.join(', ');
    throw new SigcastError(
      'METHOD_NOT_ALLOWED',
      `${req.method ?? ''} is not allowed here; allowed: ${allowed}`,
      {
        allow: route.methods,
      },
    );
  }
  requireRoleFor(admission.session, route, req.method);
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
    const { streams } = await deps.quotasOf(admission.account);
    stream = await deps.streams.acquire(principalOf(admission, use), address, streams);
    whenClosed(res, stream.release);
  } else whenClosed(res, deps.openRequests.enter(admission.account, address));
  // A body of GET or HEAD means nothing (RFC 9110, 9.3.1).
  const mayHaveBody = req.method !== 'GET' && req.method !== 'HEAD';
  const body = mayHaveBody && announcesBody(req) ? await readBody(req) : null;
  if (body === undefined || res.destroyed) {
    answered(clientGone);
    return;
  }
  // Only now: a body may have taken seconds, and nobody makes or changes a webhook whose key, session or role has ended meanwhile.
  if (route.audits[req.method ?? ''] !== undefined) {
    requireRoleFor(await confirm(), route, req.method);
  }
  const making =
    route.template === '/v1/webhooks' && req.method === 'POST'
      ? await deps.quotasOf(admission.account)
      : undefined;
  const entry = await addAuditEntry(deps, { req, route, path, admission });
  const trace = traceExchange(req.method ?? '', upstream.name);
  const requestHeaders = upstreamHeaders(req, {
    requestId: requestIdOf(req),
    identity: deps.identities[upstream.name].tokenFor(admission.account, making),
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
    answerLimits: deps.answerLimits,
    fail: (error) => {
      if (errorStatus[error.code] >= 500) deps.metrics.upstreamFailure(route.upstream, error.code);
      trace?.failed(error.code);
      fail(error);
    },
    answered: (status) => {
      if (status === brokenOffStatus) deps.metrics.upstreamFailure(route.upstream, 'BROKEN_OFF');
      trace?.answered(status);
      if (entry !== undefined && isRefusal(status)) void deps.audit.withdraw(entry);
      answered(status);
    },
  }).start();
}

/**
 * Adds what a request is about to do to the audit log of its account, where its operation says so.
 * @returns the entry's id.
 */
async function addAuditEntry(
  { audit, trustProxy }: ForwardDeps,
  {
    req,
    route,
    path,
    admission: { account, key, session },
  }: Pick<ForwardedRequest, 'req' | 'path' | 'admission'> & { readonly route: ApiRoute },
): Promise<string | undefined> {
  const action = route.audits[req.method ?? ''];
  if (action === undefined) return undefined;
  const actor =
    key === undefined
      ? ({ kind: 'holder', id: session?.person ?? account } as const)
      : ({ kind: 'key', id: keyIdOf(key.sha256) } as const);
  return audit.add({ account, actor, action, target: targetOf(path), origin: originOf(req, trustProxy) });
}

/** Whether an answer says that the service did nothing. Of a client that went away it is not known. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < clientGone;
}

/** The key or session that a stream belongs to. The stream ends when the key or session ends, or the key may not be used so. */
function principalOf({ account, key, session }: Admitted, use: KeyUse): StreamPrincipal {
  if (key !== undefined) return { account, keySha256: key.sha256, use };
  return { account, sessionId: session?.sessionId ?? '', person: session?.person ?? account };
}

/**
 * Lets viewers read, and others do everything. Keys have no role.
 * @throws {SigcastError} FORBIDDEN, naming the role that is needed.
 */
function requireRoleFor(session: Admitted['session'], route: ApiRoute, method = ''): void {
  if (session === undefined || method === 'GET' || method === 'HEAD') return;
  requireRole(session.role, route.scopes[method]?.endsWith(':read') ? 'viewer' : 'developer');
}

/** Calls `then` when the answer is sent or the client is gone; at once when the client is gone already. */
function whenClosed(res: ServerResponse, then: () => void): void {
  if (res.destroyed) then();
  else res.on('close', then);
}
