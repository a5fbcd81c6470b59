import { Pool } from 'undici';

export type UpstreamTimeouts = {
  readonly connectMs: number;
  /** From the end of the request to the end of the answer's headers. */
  readonly headersMs: number;
  /** Between two parts of an answer's body. */
  readonly idleMs: number;
};

export type UpstreamSettings = UpstreamTimeouts & {
  /** Connections open at once to one address, at most. Default: 512. */
  readonly connections?: number;
};

/** Default of `connections`. Further requests wait for a connection; that wait is part of `headersMs`. */
const maxConnections = 512;
/** An unhealthy address gets one request in this time. */
const unhealthyRetryMs = 1_000;
/** Idle connections are closed after this time: before the services close them, which they do after 5 s. */
const keepAliveMs = 4_000;

/** One address of a service, with connections of its own. */
export class UpstreamAddress {
  readonly pool: Pool;
  /** Scheme, IP address and port. */
  readonly origin: string;
  /** The `Host` header of requests: the service's configured name and port. */
  readonly host: string;
  /** When the address may get a request although there are healthy ones, in milliseconds of `performance.now()`: 0 when it is healthy. */
  nextTryAtMs = 0;

  /** `origin`: scheme, IP address and port. */
  constructor(origin: string, host: string, settings: UpstreamSettings) {
    this.origin = origin;
    this.host = host;
    this.pool = new Pool(origin, {
      connections: settings.connections ?? maxConnections,
      pipelining: 1,
      allowH2: false,
      connectTimeout: settings.connectMs,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // `ProxyExchange` has its own timer, which includes the wait for a connection: this one must not end earlier. Where
      // headersTimeout equals bodyTimeout, undici makes no timer for each answer.
      headersTimeout: Math.max(settings.headersMs, settings.idleMs),
      bodyTimeout: settings.idleMs,
    });
  }

  /** Notes that a request is about to be sent to this address. */
  noteRequest(): void {
    if (this.nextTryAtMs > 0) this.markUnhealthy();
  }

  /** Notes that connecting failed, or that the server announced to close the connection: the server stops, or has stopped. */
  markUnhealthy(): void {
    this.nextTryAtMs = performance.now() + unhealthyRetryMs;
  }

  /** Notes an answer of a server that keeps running. */
  markHealthy(): void {
    this.nextTryAtMs = 0;
  }

  /** Resolves when the address answers its health check with 200, rejects otherwise. */
  async check(): Promise<void> {
    const answer = await this.pool.request({
      method: 'GET',
      path: '/healthz',
      headers: { host: this.host },
      headersTimeout: 1_000,
      bodyTimeout: 1_000,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  }
}
