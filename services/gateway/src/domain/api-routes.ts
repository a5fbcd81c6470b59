/** The services a request can be passed on to. Streams are the webhooks service's, over connections of their own. */
export type UpstreamName = 'signals' | 'stats' | 'webhooks' | 'streams';

export type ApiRoute = {
  readonly upstream: UpstreamName;
  readonly methods: readonly string[];
  /** Stands for all paths of the route, such as `/v1/signals/:id`: it says nothing of who asks for what. */
  readonly template: string;
};

const read = ['GET', 'HEAD'];
const act = ['POST'];

/**
 * What clients may reach: every path of the services' API with its methods. All else, above all the services'
 * `/internal`, is not there for them.
 */
const routes: readonly (ApiRoute & { readonly path: RegExp })[] = [
  route('/v1/signals', 'signals', read),
  route('/v1/signals/:id', 'signals', read),
  route('/v1/stats', 'stats', read),
  route('/v1/stats/series', 'stats', read),
  route('/v1/webhooks', 'webhooks', [...read, 'POST']),
  route('/v1/webhooks/:webhookId', 'webhooks', [...read, 'PATCH', 'DELETE']),
  route('/v1/webhooks/:webhookId/rotate-secret', 'webhooks', act),
  route('/v1/webhooks/:webhookId/test', 'webhooks', act),
  route('/v1/webhooks/:webhookId/recover', 'webhooks', act),
  route('/v1/webhooks/:webhookId/health', 'webhooks', read),
  route('/v1/webhooks/:webhookId/deliveries', 'webhooks', read),
  route('/v1/webhooks/:webhookId/deliveries/:deliveryId', 'webhooks', read),
  route('/v1/webhooks/:webhookId/deliveries/:deliveryId/retry', 'webhooks', act),
  route('/v1/events', 'webhooks', read),
  route('/v1/stream', 'streams', read),
];

/** The routes' templates and methods. */
export const apiRoutes: readonly Pick<ApiRoute, 'template' | 'methods'>[] = routes;

/** A path of segments, of which those after a colon stand for any one; a slash may follow. */
function route(template: string, upstream: UpstreamName, methods: readonly string[]) {
  return { template, upstream, methods, path: new RegExp(`^${template.replaceAll(/:\w+/g, '[^/]+')}/?$`) };
}

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

/** Whether a request's target, in whatever form it came, is under /v1. */
export function isApiTarget(target: string): boolean {
  return isApiPath(pathOf(originForm(target)));
}
