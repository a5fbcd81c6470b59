import type { IncomingMessage, ServerResponse } from 'node:http';
import { Histogram, type Registry } from 'prom-client';
import { cachedChildren } from './metrics.ts';

/** Methods that are counted by name (OpenTelemetry semantic conventions, HTTP metrics); others are `_OTHER`. */
const methods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

/** The route label of a request that matches no route. */
const noRoute = 'none';

/** The status counted for a client that went away before its answer was sent; nginx uses the same number. */
export const clientGone = 499;

/** Statuses of server errors. */
const failures = ['500', '502', '503', '504'];

/** An answered request. `route` is the template of its path, never the path itself: a label must have few values. */
type AnsweredRequest = {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
};

/**
 * Rate, errors and duration of a process's requests in one histogram, named as the semantic conventions of OpenTelemetry
 * name it (`http.server.request.duration`).
 */
export class HttpMetrics {
  readonly #all: Histogram<'http_request_method' | 'http_route' | 'http_response_status_code'>;
  readonly #durations: (...labels: string[]) => Histogram.Internal<string>;

  constructor(registry: Registry) {
    const durations = new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'From a request being read to its answer being out, by route and HTTP status (499: the client went away).',
      labelNames: ['http_request_method', 'http_route', 'http_response_status_code'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    });
    this.#all = durations;
    this.#durations = cachedChildren((...labels) => durations.labels(...labels));
  }

  /** Shows a route's server errors as 0 before there are any. Prometheus does not count the errors with which a series appears. */
  expectErrors(route: string, methods: readonly string[]): void {
    for (const http_request_method of methods)
      for (const http_response_status_code of failures)
        this.#all.zero({ http_request_method, http_route: route, http_response_status_code });
  }

  observe({ method, route = noRoute, status, durationMs }: AnsweredRequest): void {
    const known = methods.has(method) ? method : '_OTHER';
    this.#durations(known, route, String(status)).observe(durationMs / 1_000);
  }

  /** Counts a request when its answer is sent or its client gone. Express sets the route it found on the request. */
  follow(req: IncomingMessage, res: ServerResponse): void {
    const startedAt = performance.now();
    res.once('close', () => {
      const { route } = req as { readonly route?: { readonly path?: unknown } };
      this.observe({
        method: req.method ?? '',
        route: typeof route?.path === 'string' ? withoutFileNames(route.path) : undefined,
        status: res.writableFinished ? res.statusCode : clientGone,
        durationMs: performance.now() - startedAt,
      });
    });
  }
}

/** One label value for all built files: each build gives them new names. */
function withoutFileNames(path: string): string {
  return path.replace(/^(\/docs)?\/assets\/.*/, '$1/assets/:file');
}
