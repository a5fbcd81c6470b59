import { Pool } from 'undici';

export type UpstreamTimeouts = {
  readonly connectMs: number;
  /** From the whole request sent to the status line and headers. */
  readonly headersMs: number;
  /** Between two parts of an answer's body. */
  readonly idleMs: number;
};

export type UpstreamSettings = UpstreamTimeouts & {
  /** Open at once to one address, at most; 512 unless given. */
  readonly connections?: number;
};

/** Connections to one address, usually. Beyond this, requests wait for one, within the time an answer may take. */
const maxConnections = 512;
/** An address in doubt gets one request in this time. */
const doubtMs = 1_000;
/** An idle connection is given up after this time at the latest: before the services' servers, which keep them for 5 s. */
const keepAliveMs = 4_000;

/** One address of a service, with connections of its own. */
export class UpstreamAddress {
  readonly pool: Pool;
  /** Scheme, IP address and port. */
  readonly origin: string;
  /** What requests have as `Host`: the service's configured name and port. */
  readonly host: string;
  #inDoubt = false;
  #nextTryAtMs = 0;

  /** `origin`: scheme, IP address and port. */
  constructor(origin: string, host: string, timeouts: UpstreamSettings) {
    this.origin = origin;
    this.host = host;
    this.pool = new Pool(origin, {
      connections: timeouts.connections ?? maxConnections,
      pipelining: 1,
      allowH2: false,
      connectTimeout: timeouts.connectMs,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // The exchange keeps its own time, which also counts waiting for a connection; this only never comes before it.
      // Where it is the same as bodyTimeout, undici need not make a timer for each answer.
      headersTimeout: Math.max(timeouts.headersMs, timeouts.idleMs),
      bodyTimeout: timeouts.idleMs,
    });
  }

  /** When it may be asked while there are others: 0 when it is not in doubt. In milliseconds of `performance.now()`. */
  get nextTryAtMs(): number {
    return this.#inDoubt ? this.#nextTryAtMs : 0;
  }

  /** It is about to be asked. */
  noteAsked(): void {
    if (this.#inDoubt) this.#nextTryAtMs = performance.now() + doubtMs;
  }

  /** It could not be connected to, or said that it ends the connection: it stops, or has. */
  doubt(): void {
    this.#inDoubt = true;
    this.#nextTryAtMs = performance.now() + doubtMs;
  }

  /** It answered as one that goes on. */
  trust(): void {
    this.#inDoubt = false;
  }

  /** Resolves when it answers its health check. */
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
