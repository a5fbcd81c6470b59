import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { SigcastError } from '@sigcast/contracts';
import { failureBody } from './errors.ts';

/**
 * Listener for a server's `clientError`: what the HTTP parser refuses never reaches the application. It is answered
 * in the one envelope where no answer has begun, and the connection ends: where the next request would start is
 * anybody's guess (RFC 9112, 6.3 and 11.2).
 */
export function refuseMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: ServerResponse },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const requestId = `req_${randomUUID()}`;
  const refusal = new SigcastError('INVALID_REQUEST', 'The request is malformed');
  const body = JSON.stringify(failureBody(refusal, requestId));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
