import { SigcastError } from '@sigcast/contracts';
import { requestIdOf } from '@sigcast/http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Admission, AdmissionDesk } from '../domain/admission.ts';
import { findApiRoute, isApiPath, originForm, type UpstreamName } from '../domain/api-routes.ts';
import { countedAddress } from '../domain/client-address.ts';
import { Exchange } from '../proxy/exchange.ts';
import { upstreamHeaders } from '../proxy/headers.ts';
import type { IdentityTokens } from '../proxy/identity.ts';
import { countedBody, declaredBody } from '../proxy/request-body.ts';
import type { Upstream } from '../proxy/upstream.ts';
import { setRateLimitHeaders } from './rate-limit-headers.ts';

export type PassApiDeps = {
  readonly desk: AdmissionDesk;
  readonly identities: IdentityTokens;
  readonly upstreams: Readonly<Record<UpstreamName, Upstream>>;
  /** Told of every admitted request's key; must not wait for anything. */
  readonly noteUse: (sha256: string) => void;
  /** Whether the nearest hop is our own proxy, whose `X-Forwarded-For` can be believed. */
  readonly trustProxy: boolean;
};

/** Everything under /v1: who asks, whether they may, and on to the service that answers. */
export function passApi(deps: PassApiDeps): RequestHandler {
  return (req, res, next) => {
    const target = originForm(req.url);
    const queryAt = target.indexOf('?');
    const path = queryAt < 0 ? target : target.slice(0, queryAt);
    if (!isApiPath(path)) {
      next();
      return;
    }
    deps.desk.admit(req.headers.authorization, clientAddress(req, deps.trustProxy)).then((admission) => {
      if (res.destroyed) return;
      setRateLimitHeaders(res, admission.report, admission.degraded);
      const fail = failWith(res, next);
      if (!admission.admitted) {
        fail(admission.error);
        return;
      }
      deps.noteUse(admission.key.sha256);
      try {
        pass(deps, { req, res, target, path, admission, fail });
      } catch (error) {
        fail(error);
      }
    }, next);
  };
}

type Admitted = Extract<Admission, { admitted: true }>;

type Pass = {
  readonly req: Request;
  readonly res: Response;
  readonly target: string;
  readonly path: string;
  readonly admission: Admitted;
  readonly fail: (error: unknown) => void;
};

function pass(deps: PassApiDeps, { req, res, target, path, admission, fail }: Pass): void {
  const route = findApiRoute(path);
  if (route === undefined) throw new SigcastError('NOT_FOUND', `There is nothing at ${path}`);
  if (!route.methods.includes(req.method)) {
    const allowed = route.methods.join(', ');
    throw new SigcastError('METHOD_NOT_ALLOWED', `${req.method} is not allowed here; allowed: ${allowed}`, {
      allow: route.methods,
    });
  }
  const declared = declaredBody(req);
  if (declared === 'too large') throw new SigcastError('PAYLOAD_TOO_LARGE', 'The body is over 100 kB');
  // A body of GET or HEAD means nothing (RFC 9110, 9.3.1) and would keep the request from being tried again.
  const hasBody = declared !== 'none' && req.method !== 'GET' && req.method !== 'HEAD';
  const headers = upstreamHeaders(req, {
    requestId: requestIdOf(req),
    identity: deps.identities.tokenFor(admission.account),
    bodyLength: hasBody ? declared.length : undefined,
  });
  const upstream = deps.upstreams[route.upstream];
  new Exchange({
    req,
    res,
    upstream,
    target,
    headers,
    body: hasBody ? countedBody(req) : null,
    fail,
  }).start();
}

/** Errors under /v1 depend on who asks and when: nobody keeps them. */
function failWith(res: Response, next: NextFunction): (error: unknown) => void {
  return (error) => {
    res.setHeader('Cache-Control', 'no-store');
    next(error);
  };
}

function clientAddress(req: Request, trustProxy: boolean): string {
  const forwarded = trustProxy ? req.headers['x-forwarded-for'] : undefined;
  const nearest = forwarded === undefined ? undefined : String(forwarded).split(',').at(-1)?.trim();
  return countedAddress(nearest || req.socket.remoteAddress);
}
