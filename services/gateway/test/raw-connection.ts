import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { failureSchema } from '@sigcast/contracts';
import { expect } from 'vitest';

/** A connection to a gateway over which a test sends exact bytes. */
export class RawConnection {
  readonly socket: Socket;
  /** All that has come back. */
  received = '';
  /** Resolves with all that has come back when the connection is closed. */
  readonly closed: Promise<string>;

  constructor(gateway: string) {
    const { hostname, port } = new URL(gateway);
    this.socket = connect({ host: hostname, port: Number(port) });
    this.socket.setNoDelay();
    this.socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1');
    });
    this.socket.on('error', () => undefined);
    this.closed = once(this.socket, 'close').then(() => this.received);
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }
}

/** A request's head from its lines. */
export function head(...lines: readonly string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Status and code of a failure, which is the only answer in `text`. Checks that headers and body have the same request id. */
export function readFailure(text: string): { status: number; code: string } {
  const [headers = '', body = ''] = text.split('\r\n\r\n');
  expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
  const { error } = failureSchema.parse(JSON.parse(body));
  expect(headers.toLowerCase()).toContain(`x-request-id: ${error.request_id}`.toLowerCase());
  return { status: Number(headers.slice(9, 12)), code: error.code };
}
