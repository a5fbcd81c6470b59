import {
  type ApiOperation,
  type ApiScope,
  type AuditAction,
  apiOperations,
  asOfName,
  methodsOf,
  type Operation,
  templateOf,
} from '@sigcast/contracts';

/**
 * Where a request can be forwarded to. `streams` is the webhooks service too, over separate connections. `tracker` may be
 * absent from a deployment.
 */
export type UpstreamName = 'signals' | 'stats' | 'webhooks' | 'streams' | 'tracker';

export type ApiRoute = {
  readonly upstream: UpstreamName;
  readonly methods: readonly string[];
  /** The path with parameters, such as `/v1/signals/:signal_id`. Contains no ids, so it may be logged and counted. */
  readonly template: string;
  /** The path as the API's document has it, such as `/v1/signals/{signal_id}`. */
  readonly documented: string;
  /** What a request counts as in the limits of its account, by method; 1 for the others. */
  readonly costs?: Readonly<Record<string, number>>;
  /** The scope that a key with scopes needs, by method. */
  readonly scopes: Readonly<Record<string, ApiScope>>;
  /** What the audit log records of a request, by method. */
  readonly audits: Readonly<Record<string, AuditAction | undefined>>;
};

/** Who answers a route's requests for the past, and what they cost. */
type Past = Pick<ApiRoute, 'upstream' | 'costs'>;

/**
 * All paths that clients may reach, with their methods: those of the API's operations. Every other path is 404, above all
 * `/internal` of the services.
 */
const routes: readonly (ApiRoute & {
  readonly path: RegExp;
  readonly past?: Past | undefined;
  readonly costly?: Operation['costly'];
})[] = [...Map.groupBy<string, ApiOperation>(apiOperations, ({ path }) => path)].map(([path, operations]) => {
  const past = operations.find((operation) => operation.past !== undefined)?.past;
  return {
    template: templateOf(path),
    documented: path,
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
    upstream: upstreamOf(operations),
    methods: methodsOf(operations),
    costs: byMethod(operations, ({ cost = 1 }) => cost),
    scopes: byMethod(operations, ({ scope }) => scope),
    audits: byMethod(operations, ({ audit }: Operation) => audit),
    costly: operations.find((operation) => operation.costly !== undefined)?.costly,
    past: past && { upstream: past.service, costs: { GET: past.cost, HEAD: past.cost } },
  };
});

/** The paths that the log of requests and usage have, as the API's document has them. */
export const documentedRoutes: ReadonlySet<string> = new Set([
  ...routes.map(({ documented }) => documented),
  '/mcp',
]);

/** The routes' templates and methods. */
export const apiRoutes: readonly Pick<ApiRoute, 'template' | 'methods'>[] = routes;

function byMethod<T>(
  operations: readonly ApiOperation[],
  of: (operation: ApiOperation) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    operations.flatMap((operation) => methodsOf([operation]).map((method) => [method, of(operation)])),
  );
}

/** @throws when the operations of a path are not of one service that the gateway forwards to. */
function upstreamOf(operations: readonly Operation[]): UpstreamName {
  const [upstream, ...others] = new Set(
    operations.map(({ service, stream }) => (stream === undefined ? service : 'streams')),
  );
  if (upstream === undefined || upstream === 'gateway' || others.length > 0) {
    throw new Error(`${operations[0]?.path} needs one service that answers it`);
  }
  return upstream;
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
  if (found === undefined || query === '' || (found.past ?? found.costly) === undefined) return found;
  const parameters = new URLSearchParams(query);
  if (found.past !== undefined && parameters.has(asOfName)) return { ...found, ...found.past };
  const { cost, unless = {} } = found.costly ?? {};
  const isCostly = Object.entries(unless).some(([name, usual]) => (parameters.get(name) ?? usual) !== usual);
  return cost !== undefined && isCostly ? { ...found, costs: { GET: cost, HEAD: cost } } : found;
}

/** What a request of this path is about: the first parameter in it. Undefined where the path has none. */
export function targetOf(path: string): string | undefined {
  return routes.map((route) => route.path.exec(path)?.[1]).find((target) => target !== undefined);
}

/** How many requests a request counts as in the limits of its account. */
export function costOf(route: ApiRoute | undefined, method: string): number {
  return route?.costs?.[method] ?? 1;
}

/** The scope that a request needs of a key with scopes; undefined where there is nothing at its path, or not with its method. */
export function scopeOf(route: ApiRoute | undefined, method: string): ApiScope | undefined {
  return route?.scopes[method];
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

/** Whether a request target, in origin form or absolute form, is under /v1, known or not. */
export function isApiTarget(target: string): boolean {
  const path = pathOf(originForm(target));
  return path === '/v1' || path.startsWith('/v1/');
}
