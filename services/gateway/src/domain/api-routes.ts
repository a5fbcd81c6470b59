/**
 * Where a request can be forwarded to. `streams` is the webhooks service too, over separate connections. `tracker` may be
 * absent from a deployment.
 */
export type UpstreamName = 'signals' | 'stats' | 'webhooks' | 'streams' | 'tracker';

export type ApiRoute = {
  readonly upstream: UpstreamName;
  readonly methods: readonly string[];
  /** The path with parameters, such as `/v1/signals/:id`. Contains no ids, so it may be logged and counted. */
  readonly template: string;
  /** What a request counts as in the limits of its account, by method; 1 for the others. */
  readonly costs?: Readonly<Record<string, number>>;
};

/** Requests with this parameter ask for the past, which the tracker keeps. */
const pastParameter = 'as_of';

const read = ['GET', 'HEAD'];
const post = ['POST'];

/** Where a route's requests for the past go, and what they cost: they read up to thousands of documents. */
type Past = Pick<ApiRoute, 'upstream' | 'costs'>;
const past = (cost: number): Past => ({ upstream: 'tracker', costs: { GET: cost, HEAD: cost } });

/**
 * All paths that clients may reach, with their methods. Every other path is 404, above all `/internal` of the services.
 */
const routes: readonly (ApiRoute & { readonly path: RegExp; readonly past?: Past })[] = [
  { ...route('/v1/signals', 'signals', read), past: past(5) },
  { ...route('/v1/signals/:id', 'signals', read), past: past(1) },
  route('/v1/signals/:id/history', 'tracker', read),
  { ...route('/v1/stats', 'stats', read), past: past(10) },
  route('/v1/stats/series', 'stats', read),
  { ...route('/v1/backtests', 'tracker', [...read, 'POST']), costs: { POST: 10 } },
  route('/v1/backtests/:backtestId', 'tracker', [...read, 'DELETE']),
  route('/v1/webhooks', 'webhooks', [...read, 'POST']),
  route('/v1/webhooks/:webhookId', 'webhooks', [...read, 'PATCH', 'DELETE']),
  route('/v1/webhooks/:webhookId/rotate-secret', 'webhooks', post),
  route('/v1/webhooks/:webhookId/test', 'webhooks', post),
  route('/v1/webhooks/:webhookId/recover', 'webhooks', post),
  route('/v1/webhooks/:webhookId/health', 'webhooks', read),
  route('/v1/webhooks/:webhookId/deliveries', 'webhooks', read),
  route('/v1/webhooks/:webhookId/deliveries/:deliveryId', 'webhooks', read),
  route('/v1/webhooks/:webhookId/deliveries/:deliveryId/retry', 'webhooks', post),
  route('/v1/events', 'webhooks', read),
  route('/v1/stream', 'streams', read),
];

/** The routes' templates and methods. */
export const apiRoutes: readonly Pick<ApiRoute, 'template' | 'methods'>[] = routes;

/** A route from its template. `:name` stands for any one segment. */
function route(template: string, upstream: UpstreamName, methods: readonly string[]) {
  return { template, upstream, methods, path: new RegExp(`^${template.replaceAll(/:\w+/g, '[^/]+')}$`) };
}

/**
 * Matches paths that another program might normalise to a different path: `.` and `..` segments, empty segments,
 * backslashes, and these characters in percent encoding (`%2e`, `%2f`, `%5c`, or `%25`, an encoded percent sign).
 */
const ambiguous = /\/\.{0,2}\/|\/\.{1,2}$|\\|%(2e|2f|5c|25|00)/i;

/** The route of a path and its query (both as received); undefined for an unknown or ambiguous path. */
export function findApiRoute(path: string, query = ''): ApiRoute | undefined {
  if (ambiguous.test(path)) return undefined;
  const found = routes.find((route) => route.path.test(path));
  if (found?.past === undefined || query === '' || !new URLSearchParams(query).has(pastParameter))
    return found;
  return { ...found, ...found.past };
}

/** How many requests a request counts as in the limits of its account. */
export function costOf(route: ApiRoute | undefined, method: string): number {
  return route?.costs?.[method] ?? 1;
}

/** Path and query of a request target in origin form or absolute form (RFC 9112, 3.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const found = /^https?:\/\/[^/?#]*([^#]*)$/i.exec(target)?.[1];
  if (found === undefined) return target;
  return found.startsWith('/') ? found : `/${found}`;
}

/** The path of a request target in origin form. */
export function pathOf(target: string): string {
  const queryAt = target.indexOf('?');
  return queryAt < 0 ? target : target.slice(0, queryAt);
}

/** Whether a path (without its query) is under /v1, known or not. */
export function isApiPath(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}

/** Whether a request target, in origin form or absolute form, is under /v1. */
export function isApiTarget(target: string): boolean {
  return isApiPath(pathOf(originForm(target)));
}
