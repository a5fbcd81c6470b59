import { SigcastError } from '@sigcast/contracts';
import type { IRouter, RequestHandler } from 'express';

/** A method that a resource may handle. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Handlers by method, each one handler or a chain. */
export type MethodHandlers = { readonly [M in Method]?: RequestHandler | readonly RequestHandler[] };

/**
 * Registers a path with all its methods. GET serves HEAD too; any other method answers 405 with `Allow`.
 *
 * @example
 * resource(app, '/v1/signals/:signal_id', { GET: getSignal(deps) });
 */
export function resource(router: IRouter, path: string, handlers: MethodHandlers): void {
  const allow = Object.keys(handlers).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  // One route for all methods: Express matches the path once.
  const route = router.route(path);
  for (const [method, handler] of Object.entries(handlers)) {
    const chain = Array.isArray(handler) ? (handler as RequestHandler[]) : [handler as RequestHandler];
    const register = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    route[register](...chain);
  }
  route.all((req) => {
    throw new SigcastError(
      'METHOD_NOT_ALLOWED',
      `${req.method} is not allowed here; allowed: ${allow.join(', ')}`,
      { allow },
    );
  });
}
