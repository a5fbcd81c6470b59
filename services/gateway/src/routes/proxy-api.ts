import { type ErrorCode, errorStatus, SigcastError } from '@sigcast/contracts';
import { clientGone, noteCaller, type RequestCaller, requestIdOf } from '@sigcast/http';
import type { Request, RequestHandler, Response } from 'express';
import type { Admission, AdmissionController } from '../domain/admission.ts';
import { keyIdOf } from '../domain/api-key.ts';
import { costOf, findApiRoute, originForm, pathOf, scopeOf } from '../domain/api-routes.ts';
import { countedAddress } from '../domain/client-address.ts';
import type { UsedBy } from '../domain/usage-days.ts';
import type { AdmissionOutcome } from '../metrics.ts';
import { type AnswerHeaders, answerPreflight, apiHeaders } from './api-headers.ts';
import { fullAddress } from './client-address.ts';
import { compressAnswer } from './compress.ts';
import { type ForwardDeps, forwardRequest } from './forward-request.ts';
import { type RequestLogDeps, requestLogger } from './log-request.ts';
import { addRateLimitHeaders } from './rate-limit-headers.ts';

export type ProxyApiDeps = ForwardDeps &
  RequestLogDeps & {
    readonly controller: AdmissionController;
    /** Called with the key of every admitted request, and the client's whole address. Must return at once. */
    readonly noteUse: (sha256: string, from: string) => void;
    /** Called for every answer to a request with an account's key. Must return at once. */
    readonly noteAnswer: (account: string, status: number, refused: boolean, by: UsedBy) => void;
  };

/** Handles everything under /v1: authenticates, counts against the limits, and forwards to the service. */
export function proxyApi(
  deps: ProxyApiDeps,
  strictTransport: (req: Request) => string | undefined,
): RequestHandler {
  return (req, res, next) => {
    const target = originForm(req.url);
    const path = pathOf(target);
    compressAnswer(req, res);
    const answerHeaders = apiHeaders(requestIdOf(req), strictTransport(req));
    if (answerPreflight(req, res, answerHeaders)) return;
    const setAnswerHeaders = () => {
      if (!res.headersSent) res.setHeaders(new Map(Object.entries(answerHeaders)));
    };
    const startedAt = performance.now();
    const from = fullAddress(req, deps.trustProxy);
    const logRequest = requestLogger(deps, { req, res, from });
    const route = findApiRoute(path, target.slice(path.length + 1));
    const address = countedAddress(from);
    const use = { scope: scopeOf(route, req.method), from };
    const cost = costOf(route, req.method);
    const count = (status: number) => {
      const durationMs = performance.now() - startedAt;
      deps.metrics.http.observe({ method: req.method, route: route?.template, status, durationMs });
    };
    let counted = false;
    deps.controller
      .admit(req.headers.authorization, address, { cost, ...use })
      .then(async (admission) => {
        noteAdmission(deps, admission, { res, answerHeaders, cost });
        const answered = (status: number, code?: ErrorCode) => {
          counted = true;
          count(status);
          logRequest({ admission, route: route?.documented, status, code, cost });
          const { account, key, admitted } = admission;
          if (account === undefined || key === undefined || isRestricted(admission)) return;
          const latencyMs = route?.upstream === 'streams' ? undefined : performance.now() - startedAt;
          const by = { key: keyIdOf(key.sha256), route: route?.documented, latencyMs };
          deps.noteAnswer(account, status, !admitted, by);
        };
        const fail = (error: unknown) => {
          const code = error instanceof SigcastError ? error.code : 'INTERNAL_ERROR';
          answered(errorStatus[code], code);
          // Errors under /v1 depend on the caller and the moment: no cache may keep them.
          answerHeaders['cache-control'] = 'no-store';
          setAnswerHeaders();
          next(error);
        };
        if (!admission.admitted) {
          fail(admission.error);
          return;
        }
        if (admission.key !== undefined) deps.noteUse(admission.key.sha256, from);
        if (res.destroyed) {
          answered(clientGone);
          return;
        }
        try {
          await forwardRequest(deps, {
            req,
            res,
            answerHeaders,
            target,
            path,
            route,
            address,
            use,
            admission,
            confirm: () => deps.controller.confirm(req.headers.authorization, admission.key, use),
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

/** Notes a decision about a request in metrics and the log, and what its answer says about limits. */
export function noteAdmission(
  { metrics }: Pick<ProxyApiDeps, 'metrics'>,
  admission: Admission,
  { res, answerHeaders, cost }: { res: Response; answerHeaders: AnswerHeaders; cost: number },
): void {
  metrics.admission(outcomeOf(admission), admission.degraded);
  addRateLimitHeaders(answerHeaders, admission.report, admission.degraded);
  if (admission.account !== undefined && cost > 1) answerHeaders['X-RateLimit-Cost'] = String(cost);
  const caller = callerOf(admission);
  if (caller !== undefined) noteCaller(res, caller);
}

function callerOf(admission: Admission): RequestCaller | undefined {
  const { account, key } = admission;
  if (account !== undefined) return key === undefined ? { account } : { account, key: keyIdOf(key.sha256) };
  const dead = admission.admitted ? undefined : admission.deadKey;
  return dead && { account: dead.account, key: keyIdOf(dead.sha256), refused: true };
}

/** Whether a request is refused for what its key may not be used for: usage counts neither such a request nor its refusal. */
export function isRestricted(admission: Admission): boolean {
  return !admission.admitted && /^(?:SCOPE_REQUIRED|NETWORK_NOT_ALLOWED)$/.test(admission.error.code);
}

function outcomeOf(admission: Admission): AdmissionOutcome {
  if (admission.admitted) return 'admitted';
  if (admission.account !== undefined && !isRestricted(admission)) return 'limited';
  return admission.error.code === 'SERVICE_UNAVAILABLE' ? 'unavailable' : 'refused';
}
