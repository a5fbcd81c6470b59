import http, { type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { HttpHeader } from '@sigcast/contracts';
import { keptHeaders, keptText } from './kept-answer.ts';
import type { Stopwatch } from './stopwatch.ts';

/** How long the body of an answer may take, in milliseconds. The outcome does not depend on it. */
const bodyTimeoutMs = 1_000;
const maxBodyBytes = 64_000;
/** How much of the body is kept for the log. */
const keptBodyBytes = 1_000;

/** The most interim answers (1xx) before the answer: each costs processor time. */
const maxInterimAnswers = 20;

/** The receiver did not answer within the timeout. */
export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';
}

/** The receiver closed a kept connection before a byte of the answer came. */
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
  /** How long the receiver may take until the end of its answer's head, name resolution included. */
  readonly timeoutMs: number;
  /** Records when each phase of the request has ended. */
  readonly stopwatch: Stopwatch;
  /** The requests under way, to be destroyed when the sender closes. */
  readonly underWay: Set<ClientRequest>;
};

/**
 * Makes one request. Interim answers (RFC 9110, 15.2) are skipped.
 * @throws {NoAnswerInTime}
 * @throws {StaleConnection}
 * @throws {RefusedAddress} where the name or the connection leads to an address that is not permitted.
 * @throws {Error} with the `code` of the system, the name lookup, TLS or the HTTP parser.
 */
export function post(
  url: URL,
  { agent, headers, body, timeoutMs, stopwatch, underWay }: Post,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { request: open } = url.protocol === 'https:' ? https : http;
    const request = open(url, { method: 'POST', agent, headers });
    underWay.add(request);
    const timer = setTimeout(() => request.destroy(new NoAnswerInTime()), timeoutMs);
    let begun = false;
    let answered = false;
    let interimAnswers = 0;

    request.once('socket', (socket: Socket) => {
      if (!request.reusedSocket) return timeConnection(socket, stopwatch);
      stopwatch.connectedTo(socket.remoteAddress);
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
      stopwatch.mark('firstByte');
      const { statusCode: status = 0, headers: fields } = response;
      const kept = keptHeaders(response.rawHeaders);
      void startOf(response).then((text) =>
        resolve({ status, retryAfter: fields['retry-after'], headers: kept, body: text }),
      );
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      // Errors after the head do not change the outcome.
      if (answered) return;
      const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(request.reusedSocket && closed && !begun ? new StaleConnection() : error);
    });
    request.once('close', () => {
      clearTimeout(timer);
      underWay.delete(request);
      // Node emits only 'close' for an unexpected upgrade (101). After an error the promise is rejected already.
      if (!answered) reject(coded('ECONNRESET'));
    });
    request.end(body);
  });
}

/** Records the phases of a new connection. */
function timeConnection(socket: Socket, stopwatch: Stopwatch): void {
  socket.once('lookup', () => stopwatch.mark('dns'));
  socket.once('connect', () => {
    // The policy refused the address, which must not be shown.
    if (socket.destroyed) return;
    stopwatch.mark('connect');
    stopwatch.connectedTo(socket.remoteAddress);
  });
  socket.once('secureConnect', () => stopwatch.mark('tls'));
}

/** Reads at most 64 kB of the body and returns the first kB, also when the body breaks off or never ends. */
function startOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    // The body is read to its end where possible, because only then the connection can be kept.
    const timer = setTimeout(() => response.destroy(), bodyTimeoutMs);
    response.on('data', (chunk: Buffer) => {
      if (bytes < keptBodyBytes) chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBodyBytes) response.destroy();
    });
    response.on('error', () => undefined);
    response.once('close', () => {
      clearTimeout(timer);
      const kept = Buffer.concat(chunks).subarray(0, keptBodyBytes);
      resolve(keptText(kept));
    });
  });
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
