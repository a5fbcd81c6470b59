/** The services a request can be passed on to. Streams are the webhooks service's, over connections of their own. */
export type UpstreamName = 'signals' | 'stats' | 'webhooks' | 'streams';

export type ApiRoute = { readonly upstream: UpstreamName; readonly methods: readonly string[] };

const read = ['GET', 'HEAD'];
const act = ['POST'];

/**
 * What clients may reach: every path of the services' API with its methods. All else, above all the services'
 * `/internal`, is not there for them.
 */
const routes: readonly (ApiRoute & { readonly path: RegExp })[] = [
  { path: /^\/v1\/signals(\/[^/]+)?\/?$/, upstream: 'signals', methods: read },
  { path: /^\/v1\/stats(\/series)?\/?$/, upstream: 'stats', methods: read },
  { path: /^\/v1\/webhooks\/?$/, upstream: 'webhooks', methods: [...read, 'POST'] },
  { path: /^\/v1\/webhooks\/[^/]+\/?$/, upstream: 'webhooks', methods: [...read, 'PATCH', 'DELETE'] },
  { path: /^\/v1\/webhooks\/[^/]+\/(rotate-secret|test|recover)\/?$/, upstream: 'webhooks', methods: act },
  { path: /^\/v1\/webhooks\/[^/]+\/deliveries(\/[^/]+)?\/?$/, upstream: 'webhooks', methods: read },
  { path: /^\/v1\/webhooks\/[^/]+\/deliveries\/[^/]+\/retry\/?$/, upstream: 'webhooks', methods: act },
  { path: /^\/v1\/events\/?$/, upstream: 'webhooks', methods: read },
  { path: /^\/v1\/stream\/?$/, upstream: 'streams', methods: read },
];

/**
 * A path that another program might read as another path: `.` and `..` segments, empty segments, backslashes, and
 * any of their characters in percent encoding (`%2e`, `%2f`, `%5c`, or a percent sign hiding one).
 */
const ambiguous = /\/\.{0,2}\/|\/\.{1,2}$|\\|%(2e|2f|5c|25|00)/i;

/** Where a request's path (as received, without its query) leads; undefined where there is nothing. */
export function findApiRoute(path: string): ApiRoute | undefined {
  if (ambiguous.test(path)) return undefined;
  return routes.find((route) => route.path.test(path));
}

/** Path and query of a request target, be it in origin form or absolute form (RFC 9112, 3.2). */
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

/** Whether a path (without its query) belongs to the API, known or not. */
export function isApiPath(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}
