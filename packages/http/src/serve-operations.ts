import { methodsOf, type Operation, templateOf } from '@sigcast/contracts';
import type { IRouter, Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { entityTag } from './entity-tag.ts';
import { setPageLinks } from './page-links.ts';
import { type MethodHandlers, resource } from './routes.ts';
import { noQuery, parseBody, parseQuery } from './validate.ts';

type Name<Path extends string> = Path extends `${string}{${infer First}}${infer Rest}`
  ? First | Name<Rest>
  : never;

/** What a handler is given of a request. */
export type OperationRequest<O extends Operation, Caller = undefined> = {
  /** The parameters in the path, as they came. */
  readonly path: { readonly [N in Name<O['path']>]: string };
  readonly query: O extends { readonly query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  /**
   * Reads and checks the body. A handler calls it when the caller is known and counted: nothing is read before.
   * @throws {SigcastError} what `parseBody` throws.
   */
  readonly body: O extends { readonly body: infer B extends z.ZodType }
    ? () => Promise<z.output<B>>
    : undefined;
  /** Who asks; nobody for an open operation. */
  readonly caller: O extends { readonly open: true } ? undefined : Caller;
  readonly req: Request;
  readonly res: Response;
};

/** A list that is not changed may stand for one that could be. */
type Unchanged<T> = T extends readonly (infer Item)[]
  ? readonly Unchanged<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: Unchanged<T[Member]> }
    : T;

/** What a handler answers: the members of the answer beside `success`. Nothing where the handler has written it itself. */
export type OperationAnswer<O extends Operation> =
  | (O extends { readonly answer: infer A extends z.ZodType }
      ? Unchanged<Omit<z.input<A>, 'success'>> & {
          /** What the `ETag` is made of, where a part of `data` changes with each answer. Default: the answer. */
          readonly tagged?: unknown;
        }
      : undefined)
  | (O extends { readonly accepted: { readonly answer: infer A extends z.ZodType } }
      ? Unchanged<Omit<z.input<A>, 'success'>> & { readonly isAccepted: true }
      : never);

/** A handler for each operation, by its id. */
export type OperationHandlers<O extends Operation, Caller = undefined> = {
  readonly [Each in O as Each['id']]: (
    request: OperationRequest<Each, Caller>,
  ) => Promise<OperationAnswer<Each> | undefined> | OperationAnswer<Each>;
};

type AnyHandler = (request: {
  readonly path: Request['params'];
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: unknown;
  readonly req: Request;
  readonly res: Response;
}) => Promise<AnyAnswer | undefined>;
type AnyAnswer = {
  readonly data: unknown;
  readonly meta?: object;
  readonly tagged?: unknown;
  readonly isAccepted?: true;
};

/**
 * Registers operations of the API. Paths, methods (HEAD with GET), 405, the checks of parameters, queries and bodies, the
 * envelope, the status, `ETag` and 304, `Link`, and `Cache-Control` come from the operation; a handler answers with data. A
 * client that has gone gets no answer.
 * @param findCaller who sends a request, asked before anything of it is checked; throws where nobody may. Open operations have
 * no caller. Needed where handlers take one.
 *
 * @example
 * serveOperations(app, operationsOf('stats'), {
 *   getStatistics: async ({ query }) => ({ data: await getStatistics(store, query) }),
 *   …
 * });
 */
export function serveOperations<O extends Operation, Caller = undefined>(
  router: IRouter,
  operations: readonly O[],
  handlers: OperationHandlers<O, Caller>,
  ...[findCaller]: undefined extends Caller
    ? []
    : [findCaller: (req: Request, res: Response, operation: O) => Promise<Caller>]
): void {
  for (const [path, group] of Map.groupBy(operations, (operation) => operation.path)) {
    const byMethod = methodsOf(group).flatMap((method) => {
      const operation = group.find((one) => one.method.toUpperCase() === method);
      if (operation === undefined) return []; // HEAD, which comes with GET
      const handle = (handlers as Readonly<Record<string, unknown>>)[operation.id] as AnyHandler;
      return [[method, serve(operation, handle, findCaller as FindCaller | undefined)] as const];
    });
    resource(router, templateOf(path), Object.fromEntries(byMethod) as MethodHandlers);
  }
}

type FindCaller = (req: Request, res: Response, operation: Operation) => Promise<unknown>;

function serve(operation: Operation, handle: AnyHandler, findCaller?: FindCaller): RequestHandler {
  const { query: schema, body, mayLackBody = false, conditional = false, status = 200, open } = operation;
  return async (req, res) => {
    const caller = open ? undefined : await findCaller?.(req, res, operation);
    const query = schema === undefined ? noQuery(req) : parseQuery(schema, req);
    const readBody = body && (() => parseBody(body, req, mayLackBody ? {} : undefined));
    // For answers with a tag, the gateway sends `no-cache`.
    if (!conditional) res.setHeader('Cache-Control', 'no-store');
    const answer = await handle({ path: req.params, query, body: readBody, caller, req, res });
    if (answer === undefined) {
      if (operation.answer !== undefined && !res.destroyed) throw new Error(`${operation.id} has no answer`);
      if (operation.stream === undefined) res.status(status).end();
      return;
    }
    const { tagged, isAccepted = false, ...members } = answer;
    const whole = { success: true, ...members };
    if (isPage(members.meta)) setPageLinks(req, res, members.meta);
    if (conditional) res.setHeader('ETag', `W/${entityTag(JSON.stringify(tagged ?? whole))}`);
    res.status(isAccepted ? 202 : status).json(whole);
  };
}

type PageMeta = Parameters<typeof setPageLinks>[2];

function isPage(meta: object | undefined): meta is PageMeta {
  return meta !== undefined && 'total_pages' in meta;
}
