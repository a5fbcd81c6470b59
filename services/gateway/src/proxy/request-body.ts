import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { maxBodyBytes } from '@sigcast/http';

/** What a request's headers say of its body. */
export function declaredBody(req: IncomingMessage): 'none' | 'too large' | { length: string | undefined } {
  const length = req.headers['content-length'];
  if (req.headers['transfer-encoding'] !== undefined) return { length: undefined };
  if (length === undefined || Number(length) === 0) return 'none';
  return Number(length) > maxBodyBytes ? 'too large' : { length };
}

/** Thrown into a body that turned out longer than allowed. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * A request's body as a stream of its own, counted while it flows, so that what becomes of it leaves the client's
 * connection alone: it can still be answered. It has room for the largest body, so reading never waits for the service.
 */
export function countedBody(req: IncomingMessage): Transform {
  let bytes = 0;
  const body = new Transform({
    highWaterMark: maxBodyBytes,
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBodyBytes) done(new BodyTooLarge());
      else done(null, chunk);
    },
  });
  req.once('close', () => {
    if (!req.complete) body.destroy(new Error('the client went away'));
  });
  // What is left of the body is read and dropped, so that the connection serves the next request.
  body.once('close', () => req.resume());
  return req.pipe(body);
}
