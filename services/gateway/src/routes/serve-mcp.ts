import { localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server';
import { errorStatus, requestOf, SigcastError, type ToolRequest, unavailable } from '@sigcast/contracts';
import { failureBody, parseBody, requestIdOf } from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { Admission } from '../domain/admission.ts';
import { type ApiRoute, costOf, findApiRoute, pathOf } from '../domain/api-routes.ts';
import { type ApiAnswer, answerMessage, callOf } from '../mcp/mcp-server.ts';
import { CollectedAnswer, ownRequest } from '../proxy/collected-answer.ts';
import { SlowClient } from '../proxy/slow-clients.ts';
import type { AnswerHeaders } from './api-headers.ts';
import { clientAddress } from './client-address.ts';
import { forwardRequest } from './forward-request.ts';
import { noteAdmission, type ProxyApiDeps } from './proxy-api.ts';

export type McpDeps = ProxyApiDeps & { readonly log: Logger; readonly publicUrl?: string | undefined };

/** A message of JSON-RPC. The protocol's own library checks the rest. */
const messageSchema = z.looseObject({});

/** A call as a request to a service. */
type Asked = ToolRequest & { readonly path: string; readonly route: ApiRoute | undefined };

/**
 * `POST /mcp`: one message of the Model Context Protocol, by streamable HTTP without sessions. A call of a tool is the request
 * of its operation: it costs the same and is forwarded the same way, and a failure is its result. Any other message counts as
 * one request.
 */
export function serveMcp(deps: McpDeps): RequestHandler {
  const ownHost = deps.publicUrl === undefined ? [] : [new URL(deps.publicUrl).hostname];
  const origins = [...localhostAllowedOrigins(), ...ownHost];
  return async (req, res) => {
    // Against pages that reach a gateway on their visitor's machine by a name of their own (DNS rebinding).
    if (!validateOriginHeader(req.headers.origin, origins).ok) {
      throw new SigcastError('FORBIDDEN', 'Pages of other origins must not use /mcp');
    }
    const message = await parseBody(messageSchema, req);
    const asked = askedOf(message);
    const isCall = asked !== undefined && !(asked instanceof SigcastError);
    const cost = isCall ? costOf(asked.route, asked.method) : 1;
    const address = clientAddress(req, deps.trustProxy);
    const admission = await deps.controller.admit(req.headers.authorization, address, cost);
    const answerHeaders: AnswerHeaders = { 'cache-control': 'no-store' };
    noteAdmission(deps, admission, { res, answerHeaders, cost });
    res.setHeaders(new Map(Object.entries(answerHeaders)));
    const { account, key, admitted } = admission;
    const note = (status: number) => {
      if (account !== undefined && key !== undefined) deps.noteAnswer(account, status, !admitted);
    };
    // A model reads the results of calls; a wrong key is for who has set it up.
    if (!admitted && (account === undefined || asked === undefined)) {
      note(errorStatus[admission.error.code]);
      throw admission.error;
    }
    if (admitted && key !== undefined) deps.noteUse(key.sha256);
    const ask = async (): Promise<ApiAnswer> => {
      const answer = await answerTo(deps, { req, res, asked, address, admission }).catch((error: unknown) =>
        failed(deps.log, req, error),
      );
      note(answer.body.success ? 200 : errorStatus[answer.body.error.code]);
      return answer;
    };
    if (asked === undefined) note(200);
    const response = await answerMessage(webRequest(req, res), message, asked && ask, (err) =>
      deps.log.debug({ err }, 'a message of MCP failed'),
    );
    res
      .status(response.status)
      .setHeader('content-type', response.headers.get('content-type') ?? 'text/plain');
    res.end(Buffer.from(await response.arrayBuffer()));
    if (res.writableLength > 0) new SlowClient(res, deps.answerLimits, () => undefined).mustPause(false);
  };
}

/** The request of a message's call; undefined where it has none, an error where an argument is missing. */
function askedOf(message: Readonly<Record<string, unknown>>): Asked | SigcastError | undefined {
  const call = callOf(message);
  const request = call && requestOf(call.tool, call.given);
  if (request === undefined || request instanceof SigcastError) return request;
  const path = pathOf(request.target);
  return { ...request, path, route: findApiRoute(path, request.target.slice(path.length + 1)) };
}

type AskedBy = {
  readonly req: Request;
  readonly res: Response;
  readonly asked: Asked | SigcastError | undefined;
  readonly address: string;
  readonly admission: Admission;
};

/** @throws {SigcastError} where the request is refused, or has no answer. */
async function answerTo(deps: McpDeps, { req, res, asked, address, admission }: AskedBy): Promise<ApiAnswer> {
  if (!admission.admitted) throw admission.error;
  if (asked === undefined || asked instanceof SigcastError) throw asked ?? new Error('no call');
  const { method, target, path, route, body } = asked;
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
      address,
      admission,
      confirm: () => deps.controller.confirm(req.headers.authorization, admission.key),
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
