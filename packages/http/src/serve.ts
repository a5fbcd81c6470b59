import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorStatus, SigcastError } from '@sigcast/contracts';
import type { Logger, Resources, Shutdown } from '@sigcast/runtime';
import type { Express } from 'express';
import { unknownTransferCoding } from './app.ts';
import { announcesBody, type BodyLimits, collectBody } from './body.ts';
import { boundConnections, type Connections, closeUnlessComplete, trackConnections } from './connections.ts';
import type { DirectRequests } from './direct.ts';
import { failureBody } from './errors.ts';
import { markNotReady } from './health.ts';
import type { HttpMetrics } from './http-metrics.ts';

/** Where a server listens, and its limits. */
export type ServeSettings = {
  readonly host: string;
  readonly port: number;
  /** The service's shutdown. Without it the server stops as soon as `resources` are released. */
  readonly shutdown?: Shutdown;
  /** Ends open event streams; called when no more connections are accepted. */
  readonly endStreams?: () => void;
  /**
   * Requests may be uploads of any length: `requestTimeoutMs` then bounds the silence on a connection, not the whole
   * request. Only for services that only trusted callers reach.
   */
  readonly streamsUploads?: boolean;
  /** The most bytes of a request's line and headers. Default: 32 kB. */
  readonly maxHeadBytes?: number;
  /** How long a whole request may take to arrive, in milliseconds. Default: 60 s. */
  readonly requestTimeoutMs?: number;
  /** Closes a connection without any traffic for this long during a request, in milliseconds. */
  readonly silenceMs?: number;
  /** The most connections of one address; further ones are closed. `nameOf` says what counts as one address. */
  readonly connections?: { readonly perAddress: number; readonly nameOf: (address?: string) => string };
  /**
   * Limits on the bodies of clients that are not trusted. A connection is then closed after the answer to a request that has
   * not arrived completely. Default: none.
   */
  readonly bodies?: BodyLimits;
  /** Counts the requests. Default: requests are not counted. */
  readonly metrics?: HttpMetrics;
  /** The requests that the application does not answer. Default: none. */
  readonly direct?: DirectRequests;
};

/** Default of `requestTimeoutMs`. */
const defaultRequestTimeoutMs = 60_000;
/** How long a request's line and headers may take to arrive, in milliseconds. */
const headersTimeoutMs = 10_000;
/** How often Node looks for late requests, in milliseconds. A timeout takes effect at most this much later. */
const lateCheckEveryMs = 1_000;
/** Default of `maxHeadBytes`: more than the gateway accepts, because the gateway adds headers. */
const defaultMaxHeadBytes = 32_768;

/** How long a client may keep an idle connection, as `Keep-Alive: timeout=5` tells it. */
const announcedKeepAliveMs = 5_000;
/** How much longer the server keeps an idle connection: some load balancers ignore `Keep-Alive` and use it for a minute. */
const keepAliveBufferMs = 60_000;

/** How long requests under way may take once the server stops, in milliseconds, when there is no `shutdown`. */
const drainTimeoutMs = 5_000;
/** The share of the shutdown time for requests under way. With the defaults, longer than the gateway waits for an answer. */
const drainShare = 0.75;
/** How long an idle connection stays open once the server stops, in milliseconds: its client may be sending a request. */
const lingerMs = 1_000;

/**
 * Starts a server with limits on slow clients, and registers it for release.
 *
 * When the process is told to stop, `/readyz` answers 503, and each answer closes its connection. At its release the server
 * accepts no new connection, closes idle ones, lets requests under way end, and closes what is left after three quarters of
 * the shutdown time.
 *
 * @returns the URL of the server.
 * @throws when the port is taken.
 */
export async function serve(
  app: Express,
  settings: ServeSettings,
  log: Logger,
  resources: Resources,
): Promise<string> {
  const { requestTimeoutMs = defaultRequestTimeoutMs, silenceMs, bodies } = settings;
  const { metrics, direct } = settings;
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (bodies !== undefined && announcesBody(request)) {
      collectBody(request, response, bodies);
      closeUnlessComplete(request, response);
    }
    connections.inTurn(request, response, () => {
      if (direct?.takes(request)) {
        direct.handle(request, response);
        return;
      }
      metrics?.follow(request, response);
      app(request, response);
    });
  };
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: settings.streamsUploads ? 0 : requestTimeoutMs,
      connectionsCheckingInterval: lateCheckEveryMs,
      maxHeaderSize: settings.maxHeadBytes ?? defaultMaxHeadBytes,
      // The application refuses such a request, in the envelope.
      requireHostHeader: false,
      // A request that announces no body, as most do, is born ended: it emits neither `data` nor `end` nor `close`.
      optimizeEmptyRequests: true,
      keepAliveTimeout: announcedKeepAliveMs,
      keepAliveTimeoutBuffer: keepAliveBufferMs,
      ...expressClasses(app),
    },
    handle,
  );
  const connections = trackConnections(server);
  if (settings.connections !== undefined) boundConnections(server, settings.connections);
  if (settings.streamsUploads) server.setTimeout(requestTimeoutMs);
  else if (silenceMs !== undefined) server.setTimeout(silenceMs);
  server.on('clientError', (error, socket) => refuseMalformed(error, socket, connections));
  // Another expectation than 100-continue may be ignored (RFC 9110, 10.1.1). Node alone would answer 417 without a body.
  server.on('checkExpectation', handle);
  server.on('checkContinue', (request, response) => {
    // Where bodies have limits, the client is told to continue when its body is wanted.
    if (bodies === undefined) response.writeContinue();
    handle(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: settings.host, port: settings.port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  let stoppingSince: number | undefined;
  settings.shutdown?.stopping.addEventListener('abort', () => {
    stoppingSince = performance.now();
    markNotReady(app);
    connections.announceEnd();
  });
  resources.defer(async () => {
    await connections.accepted();
    // Idle connections linger no longer than the delay before the stop: without a delay they are closed at once.
    const stoppingForMs = stoppingSince === undefined ? 0 : performance.now() - stoppingSince;
    const closed = connections.close(Math.min(lingerMs, stoppingForMs));
    settings.endStreams?.();
    const cutMs = settings.shutdown === undefined ? drainTimeoutMs : settings.shutdown.timeoutMs * drainShare;
    const cut = setTimeout(() => server.closeAllConnections(), cutMs);
    await closed;
    clearTimeout(cut);
  });
  const { port } = server.address() as AddressInfo;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const url = `http://${host}:${port}`;
  log.info({ url }, 'listening');
  return url;
}

/**
 * Request and response classes with the prototypes that Express wants. Otherwise Express changes the prototype of each
 * object, which costs more than creating the object and slows down all code that uses it.
 */
function expressClasses(app: Express) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}

/** Answers what is not HTTP, in the envelope, and closes the connection. The application never sees such a request. */
function refuseMalformed(
  error: Error & { code?: string; reason?: string },
  socket: Duplex,
  connections: Connections,
): void {
  // The body is refused by the application, and its parser stopped.
  if (error.code === 'HPE_PAUSED') return;
  const pending = socket instanceof Socket ? connections.pendingAnswer(socket) : undefined;
  const canAnswer = socket.writable && error.code !== 'ECONNRESET';
  // The client would take a refusal for the answer to its complete request. So the request is answered, and the connection closed.
  if (canAnswer && pending?.req.complete && !pending.headersSent) {
    pending.shouldKeepAlive = false;
    return;
  }
  // A refusal must not follow a part of another answer.
  const answering = socket instanceof Socket && socket.bytesWritten > 0 && pending !== undefined;
  if (!canAnswer || answering) {
    socket.destroy();
    return;
  }
  const id = `req_${randomUUID()}`;
  const refusal = malformed(error);
  const status = errorStatus[refusal.code];
  const body = JSON.stringify(failureBody(refusal, id));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${id}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/** Turns an error of Node's HTTP parser or of its timeouts into an error of the API. */
function malformed({ code, reason }: { code?: string; reason?: string }): SigcastError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new SigcastError('REQUEST_TIMEOUT', 'The request did not arrive in time');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new SigcastError('INVALID_REQUEST', 'The request line and headers are too large');
  // Together with Content-Length it is an attempt at request smuggling: INVALID_REQUEST.
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !reason?.includes('Content-Length'))
    return unknownTransferCoding();
  return new SigcastError('INVALID_REQUEST', 'The request is not valid HTTP');
}
