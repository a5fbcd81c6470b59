import { localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server';
import {
  type ErrorCode,
  errorStatus,
  requestOf,
  SigcastError,
  type ToolRequest,
  unavailable,
} from '@sigcast/contracts';
import { failureBody, parseBody, requestIdOf } from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { Admission, AskedFor } from '../domain/admission.ts';
import { keyIdOf } from '../domain/api-key.ts';
import { type ApiRoute, costOf, findApiRoute, pathOf, scopeOf } from '../domain/api-routes.ts';
import { countedAddress } from '../domain/client-address.ts';
import type { KeyUse } from '../domain/restrictions.ts';
import { type ApiAnswer, answerMessage, callOf } from '../mcp/mcp-server.ts';
import { CollectedAnswer, ownRequest } from '../proxy/collected-answer.ts';
import { SlowClient } from '../proxy/slow-clients.ts';
import type { AnswerHeaders } from './api-headers.ts';
import { fullAddress } from './client-address.ts';
import { forwardRequest } from './forward-request.ts';
import { requestLogger } from './log-request.ts';
import { isRestricted, noteAdmission, type ProxyApiDeps } from './proxy-api.ts';

export type McpDeps = ProxyApiDeps & { readonly log: Logger; readonly publicUrl?: string | undefined };

/** A message of JSON-RPC. The protocol's own library checks the rest. */
const messageSchema = z.looseObject({});

/** A call as a request to a service. */
type Asked = ToolRequest & { readonly path: string; readonly route: ApiRoute | undefined };

/** What a message asks of the API: undefined where it has no call, an error where an argument can't be in a request. */
type Asking = Asked | SigcastError | undefined;

/**
 * `POST /mcp`: one message of the Model Context Protocol, by streamable HTTP without sessions. A call of a tool is the request
 * of its operation: it costs the same and is forwarded the same way, and a failure is its result. Any other message counts as
 * one request, also one that can't be read. A call that its key is not allowed counts as it does under `/v1`: for its address.
 */
export function serveMcp(deps: McpDeps): RequestHandler {
  const ownHost = deps.publicUrl === undefined ? [] : [new URL(deps.publicUrl).hostname];
  const origins = [...localhostAllowedOrigins(), ...ownHost];
  return async (req, res) => {
    // Against pages that reach a gateway on their visitor's machine by a name of their own (DNS rebinding).
    if (!validateOriginHeader(req.headers.origin, origins).ok) {
      throw new SigcastError('FORBIDDEN', 'Pages of other origins must not use /mcp');
    }
    const startedAt = performance.now();
    const from = fullAddress(req, deps.trustProxy);
    const logRequest = requestLogger(deps, { req, res, from });
    const admit = (asked: AskedFor) =>
      deps.controller.admit(req.headers.authorization, countedAddress(from), { from, ...asked });
    // Counts nothing yet: a message is read only where its account is known, and counts as what it asks for.
    let admission = await admit({ cost: 0 });
    const read =
      admission.admitted || admission.account !== undefined ? await readMessage(req) : admission.error;
    const asked = read instanceof SigcastError || read.asked instanceof SigcastError ? undefined : read.asked;
    const cost = asked === undefined ? 1 : costOf(asked.route, asked.method);
    if (admission.admitted) admission = await admit({ cost, ...(asked && useOf(asked, from)) });
    const answerHeaders: AnswerHeaders = { 'cache-control': 'no-store' };
    noteAdmission(deps, admission, { res, answerHeaders, cost });
    res.setHeaders(new Map(Object.entries(answerHeaders)));
    const { account, key, admitted } = admission;
    const logAnswer = ({ status, code }: Answered) =>
      logRequest({ admission, route: '/mcp', status, code, cost });
    // A wrong key is for who has set it up; a model reads of limits in the results of calls.
    if (!admission.admitted && account === undefined) {
      logAnswer(failureOf(admission.error.code));
      throw admission.error;
    }
    if (admitted && key !== undefined) deps.noteUse(key.sha256, from);
    let answered = failureOf('INTERNAL_ERROR');
    try {
      if (read instanceof SigcastError) throw read;
      answered = await answerKnown(deps, { req, res, from, admission, ...read });
    } catch (error) {
      if (error instanceof SigcastError) answered = failureOf(error.code);
      throw error;
    } finally {
      logAnswer(answered);
      if (account !== undefined && key !== undefined && !isRestricted(admission)) {
        const latencyMs = performance.now() - startedAt;
        const by = { key: keyIdOf(key.sha256), route: '/mcp', latencyMs };
        deps.noteAnswer(account, answered.status, !admitted, by);
      }
    }
  };
}

/** A message that could be read, and what it asks of the API. */
type ReadMessage = { readonly message: z.infer<typeof messageSchema>; readonly asked: Asking };

/** Reads a message; an error where it can't be read. */
async function readMessage(req: Request): Promise<ReadMessage | SigcastError> {
  try {
    const message = await parseBody(messageSchema, req);
    return { message, asked: askedOf(message) };
  } catch (error) {
    if (error instanceof SigcastError) return error;
    throw error;
  }
}

type Known = ReadMessage & {
  readonly req: Request;
  readonly res: Response;
  /** The client's whole address. */
  readonly from: string;
  readonly admission: Admission;
};

/** How a message was answered: with the status and error of the API's answer, where the message has a call. */
type Answered = { readonly status: number; readonly code?: ErrorCode };

/** Answers a message whose account is known. */
async function answerKnown(deps: McpDeps, known: Known): Promise<Answered> {
  const { req, res, admission, message, asked } = known;
  if (!admission.admitted && asked === undefined) throw admission.error;
  let answered: Answered | undefined;
  const ask = async (): Promise<ApiAnswer> => {
    const answer = await answerTo(deps, known).catch((error: unknown) => failed(deps.log, req, error));
    answered = answer.body.success ? { status: 200 } : failureOf(answer.body.error.code);
    return answer;
  };
  const { scopes = null } = admission.admitted ? admission : {};
  const response = await answerMessage(webRequest(req, res), message, {
    ask: asked && ask,
    scopes,
    onError: (err) => deps.log.debug({ err }, 'a message of MCP failed'),
  });
  res.status(response.status).setHeader('content-type', response.headers.get('content-type') ?? 'text/plain');
  res.end(Buffer.from(await response.arrayBuffer()));
  if (res.writableLength > 0) new SlowClient(res, deps.answerLimits, () => undefined).mustPause(false);
  return answered ?? { status: response.status };
}

function failureOf(code: ErrorCode): Answered {
  return { status: errorStatus[code], code };
}

function askedOf(message: Readonly<Record<string, unknown>>): Asking {
  const call = callOf(message);
  const request = call && requestOf(call.tool, call.given);
  if (request === undefined || request instanceof SigcastError) return request;
  const path = pathOf(request.target);
  return { ...request, path, route: findApiRoute(path, request.target.slice(path.length + 1)) };
}

/** How a call uses its key. */
function useOf({ route, method }: Asked, from: string): KeyUse {
  return { scope: scopeOf(route, method), from };
}

/** @throws {SigcastError} where the request is refused, or has no answer. */
async function answerTo(deps: McpDeps, { req, res, from, admission, asked }: Known): Promise<ApiAnswer> {
  if (!admission.admitted) throw admission.error;
  if (asked === undefined || asked instanceof SigcastError) throw asked ?? new Error('no call');
  const { method, target, path, route, body } = asked;
  const use = useOf(asked, from);
  const own = ownRequest(method, { requestId: requestIdOf(req), body });
  const answer = new CollectedAnswer(own);
  // Where the client goes away, nobody waits for the service.
  res.on('close', () => answer.destroy());
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  await Promise.all([
    promise,
    forwardRequest(deps, {
      req: own,
      res: answer,
      answerHeaders: {},
      target,
      path,
      route,
      address: countedAddress(from),
      use,
      admission,
      confirm: () => deps.controller.confirm(req.headers.authorization, admission.key, use),
      fail: reject,
      answered: (status) => (status === answer.statusCode ? resolve() : reject(unavailable('The service'))),
    }),
  ]);
  const { text } = answer;
  return { text, body: JSON.parse(text) as ApiAnswer['body'] };
}

function failed(log: Logger, req: Request, thrown: unknown): ApiAnswer {
  const error =
    thrown instanceof SigcastError
      ? thrown
      : new SigcastError('INTERNAL_ERROR', 'Something went wrong on our side', { cause: thrown });
  if (errorStatus[error.code] >= 500) log.warn({ err: error }, 'a call of a tool failed');
  const body = failureBody(error, requestIdOf(req));
  return { text: JSON.stringify(body), body };
}

/** A client's request for the protocol's library, which reads only these headers. */
function webRequest(req: Request, res: Response): globalThis.Request {
  const headers = Object.entries(req.headers).filter(([name]) =>
    /^(?:accept|content-type|mcp-.*)$/.test(name),
  );
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  return new globalThis.Request('http://gateway/mcp', {
    method: 'POST',
    headers: headers.map(([name, value]) => [name, String(value)]),
    signal: gone.signal,
  });
}
