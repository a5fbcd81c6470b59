import http, { type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { HttpHeader } from '@sigcast/contracts';
import { keptHeaders } from './kept-headers.ts';
import type { Stopwatch } from './stopwatch.ts';

/** What is left of an answer may take this long after its status line; it changes nothing about the outcome. */
const bodyTimeoutMs = 1_000;
const maxBodyBytes = 64_000;
const keptBodyBytes = 1_000;

/** Interim answers (1xx) read over before the answer; more are an attack on our processor. */
const maxInterimAnswers = 20;

/** The receiver has not answered in time. */
export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';
}

/** A connection that was kept turned out to be closed: not a byte of an answer came on it. */
export class StaleConnection extends Error {
  override readonly name = 'StaleConnection';
}

export type Answer = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly headers: HttpHeader[];
  /** The first kB of the body. */
  readonly body: string;
};

export type Post = {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Until the status line, name resolution included. */
  readonly timeoutMs: number;
  /** Told how far it has come. */
  readonly way: Stopwatch;
  /** Requests under way: destroying one fails its attempt. */
  readonly underWay: Set<ClientRequest>;
};

/**
 * Makes one request. Interim answers (RFC 9110, 15.2), asked for or not, are read over.
 * @throws {NoAnswerInTime}
 * @throws {StaleConnection}
 * @throws {RefusedAddress} where the name or the connection leads to an address that is not permitted.
 * @throws {Error} with a `code` of the system's, the name look-up's, TLS's or the HTTP parser's.
 */
export function post(url: URL, { agent, headers, body, timeoutMs, way, underWay }: Post): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { request: open } = url.protocol === 'https:' ? https : http;
    const request = open(url, { method: 'POST', agent, headers });
    underWay.add(request);
    const timer = setTimeout(() => request.destroy(new NoAnswerInTime()), timeoutMs);
    let begun = false;
    let answered = false;
    let interimAnswers = 0;

    request.once('socket', (socket: Socket) => {
      if (!request.reusedSocket) return watch(socket, way);
      way.connectedTo(socket.remoteAddress);
      const note = () => {
        begun = true;
      };
      socket.once('data', note);
      request.once('close', () => socket.off('data', note));
    });
    request.on('information', () => {
      if (++interimAnswers > maxInterimAnswers) request.destroy(coded('TOO_MANY_INTERIM_ANSWERS'));
    });
    request.once('response', (response) => {
      answered = true;
      clearTimeout(timer);
      way.mark('firstByte');
      const { statusCode: status = 0, headers: fields } = response;
      const kept = keptHeaders(response.rawHeaders);
      void startOf(response).then((text) =>
        resolve({ status, retryAfter: fields['retry-after'], headers: kept, body: text }),
      );
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      // What befalls the connection after the status line is no matter.
      if (answered) return;
      const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(request.reusedSocket && closed && !begun ? new StaleConnection() : error);
    });
    request.once('close', () => {
      clearTimeout(timer);
      underWay.delete(request);
      // Node says nothing else of an upgrade that was not asked for (101). After an error this does nothing.
      if (!answered) reject(coded('ECONNRESET'));
    });
    request.end(body);
  });
}

/** Marks how far a new connection has come. */
function watch(socket: Socket, way: Stopwatch): void {
  socket.once('lookup', () => way.mark('dns'));
  socket.once('connect', () => {
    // Refused by the policy: where it led to is nobody's business.
    if (socket.destroyed) return;
    way.mark('connect');
    way.connectedTo(socket.remoteAddress);
  });
  socket.once('secureConnect', () => way.mark('tls'));
}

/** Reads at most 64 kB and gives the first kB; a body that breaks off or never ends is no matter. */
function startOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    // Only a connection whose answer was read to its end is used again.
    const timer = setTimeout(() => response.destroy(), bodyTimeoutMs);
    response.on('data', (chunk: Buffer) => {
      if (bytes < keptBodyBytes) chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBodyBytes) response.destroy();
    });
    response.on('error', () => undefined);
    response.once('close', () => {
      clearTimeout(timer);
      // Streaming, the decoder keeps back a character whose end was cut off.
      const kept = Buffer.concat(chunks).subarray(0, keptBodyBytes);
      resolve(new TextDecoder().decode(kept, { stream: true }));
    });
  });
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
