import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorStatus, SigcastError } from '@sigcast/contracts';
import type { Logger, Resources, Shutdown } from '@sigcast/runtime';
import type { Express } from 'express';
import { unknownTransferCoding } from './app.ts';
import { boundConnections, type Connections, trackConnections } from './connections.ts';
import { failureBody } from './errors.ts';
import { sayNotReady } from './health.ts';
import type { HttpMetrics } from './http-metrics.ts';

export type ServeSettings = {
  readonly host: string;
  readonly port: number;
  /** Of the service; without it the server ends as soon as it is released. */
  readonly shutdown?: Shutdown;
  /** Ends the answers that have no end of their own; called when no more connections are taken. */
  readonly endStreams?: () => void;
  /**
   * Requests may be uploads of any length: one ends after 60 s of silence on its connection, instead of 60 s
   * after it began. For services that only trusted callers reach.
   */
  readonly streamsUploads?: boolean;
  /** A request's line and headers together, in bytes; 32 kB unless given. */
  readonly maxHeadBytes?: number;
  /** How long a request may take to arrive whole, in milliseconds; 60 s unless given. */
  readonly requestTimeoutMs?: number;
  /** Ends a connection on which nothing moves for so long while a request is in hand, in milliseconds. */
  readonly silenceMs?: number;
  /** Connections of one address at once; more are cut. `nameOf` says what counts as one address. */
  readonly connections?: { readonly perAddress: number; readonly nameOf: (address?: string) => string };
  /** Of which requests the application itself says that their body may come (`Expect: 100-continue`); of none unless given. */
  readonly continuesItself?: (request: IncomingMessage) => boolean;
  /** Where requests are counted; nowhere unless given. */
  readonly metrics?: HttpMetrics;
  /** Which requests the application counts itself; none unless given. */
  readonly countsItself?: (request: IncomingMessage) => boolean;
};

/** How long a request may take to arrive, in milliseconds; or be silent, for a server of uploads. */
const defaultRequestTimeoutMs = 60_000;
/** How long a request's head may take to arrive, in milliseconds. */
const headersTimeoutMs = 10_000;
/** How often Node looks for requests that are late: that much later they are refused, at most. In milliseconds. */
const lookForLateMs = 1_000;
/** More than the gateway takes from clients, so that what it adds fits. */
const defaultMaxHeadBytes = 32_768;

/** How long a client may keep an idle connection: it is told so (`Keep-Alive: timeout=5`). */
const announcedKeepAliveMs = 5_000;
/** Balancers that keep connections for a minute, and don't listen, never use one that was just closed. */
const keepAliveBufferMs = 60_000;

/** How long requests in hand may take to end once the server stops, in milliseconds, where nothing else is said. */
const drainTimeoutMs = 5_000;
/** Their share of the time that a service has to stop: longer than the gateway waits for an answer, with the defaults. */
const drainShare = 0.75;
/** How long a client may take to send on a connection that it has reason to think open, in milliseconds. */
const lingerMs = 1_000;

/**
 * Listens, with limits on slow clients, and registers the server for release.
 *
 * When the process is told to stop, `/readyz` says so and each answer is its connection's last. When it is released, it
 * takes no new connection, ends idle ones, lets requests in hand end, and cuts what is left after three quarters of the
 * time that the service has to stop.
 *
 * @returns the address it listens at.
 * @throws when the port is taken.
 */
export async function serve(
  app: Express,
  settings: ServeSettings,
  log: Logger,
  resources: Resources,
): Promise<string> {
  const { requestTimeoutMs = defaultRequestTimeoutMs, silenceMs, continuesItself } = settings;
  const { metrics, countsItself } = settings;
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (countsItself?.(request) !== true) metrics?.follow(request, response);
    app(request, response);
  };
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: settings.streamsUploads ? 0 : requestTimeoutMs,
      connectionsCheckingInterval: lookForLateMs,
      maxHeaderSize: settings.maxHeadBytes ?? defaultMaxHeadBytes,
      // Refused by the application, which has the envelope for it.
      requireHostHeader: false,
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
  // An expectation other than 100-continue may be left unmet (RFC 9110, 10.1.1); Node would answer without a body.
  server.on('checkExpectation', handle);
  server.on('checkContinue', (request, response) => {
    if (continuesItself?.(request) !== true) response.writeContinue();
    handle(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: settings.host, port: settings.port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  let toldAt: number | undefined;
  settings.shutdown?.stopping.addEventListener('abort', () => {
    toldAt = performance.now();
    sayNotReady(app);
    connections.announceEnd();
  });
  resources.defer(async () => {
    await connections.accepted();
    // Where nothing was to be waited for before, nothing is now.
    const toldForMs = toldAt === undefined ? 0 : performance.now() - toldAt;
    const closed = connections.close(Math.min(lingerMs, toldForMs));
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
 * Classes whose objects have Express' methods from the beginning. Express gives them to each request and answer by changing
 * its prototype, which costs more than making it and slows down all that uses it; now it finds the prototype right.
 */
function expressClasses(app: Express) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}

/** What is not HTTP never reaches the application: it is answered here, in the same envelope, and cut. */
function refuseMalformed(
  error: Error & { code?: string; reason?: string },
  socket: Duplex,
  connections: Connections,
): void {
  const inHand = socket instanceof Socket ? connections.inHand(socket) : undefined;
  // It came behind a request that is whole: a refusal would be taken for the answer to that.
  if (inHand?.req.complete && !inHand.headersSent && socket.writable && error.code !== 'ECONNRESET') {
    inHand.shouldKeepAlive = false;
    return;
  }
  // Behind an answer that is half out nothing can be put.
  const answering = socket instanceof Socket && socket.bytesWritten > 0 && inHand !== undefined;
  if (!socket.writable || answering || error.code === 'ECONNRESET') {
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

/** What Node's parser and its clock say of a request, as an error of ours. */
function malformed({ code, reason }: { code?: string; reason?: string }): SigcastError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new SigcastError('REQUEST_TIMEOUT', 'The request did not arrive in time');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new SigcastError('INVALID_REQUEST', 'The request line and headers are too large');
  // With a length beside it, it is an attempt at being read in two ways.
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !reason?.includes('Content-Length'))
    return unknownTransferCoding();
  return new SigcastError('INVALID_REQUEST', 'The request is not valid HTTP');
}
