import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** A request that the gateway makes itself, for the exchange with a service. */
export function ownRequest(
  method: string,
  { requestId, body }: { requestId: string; body: string | undefined },
): IncomingMessage {
  const req = new IncomingMessage(new Socket());
  req.method = method;
  req.headers['x-request-id'] = requestId;
  if (body !== undefined) {
    req.headers['content-length'] = String(Buffer.byteLength(body));
    req.rawHeaders.push('content-type', 'application/json');
    req.push(body);
  }
  req.push(null);
  req.complete = true;
  return req;
}

/** The answer to a request of the gateway's own: kept instead of sent. */
export class CollectedAnswer extends ServerResponse {
  readonly #parts: Buffer[] = [];
  #isClosed = false;

  /** What has arrived of the body. */
  get text(): string {
    return Buffer.concat(this.#parts).toString();
  }

  override write(part: unknown, encoding?: unknown): boolean {
    this.#parts.push(
      typeof part === 'string' ? Buffer.from(part, encoding as BufferEncoding) : (part as Buffer),
    );
    return true;
  }

  override end(part?: unknown, encoding?: unknown): this {
    if (part !== undefined) this.write(part, encoding);
    return this.destroy();
  }

  override destroy(): this {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.emit('close');
    }
    return this;
  }
}
