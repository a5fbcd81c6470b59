import { createHash } from 'node:crypto';
import { type Idempotency, invalidRequest } from '@sigcast/contracts';
import type { Request } from 'express';

/**
 * The request's `Idempotency-Key`, if it has one.
 * @throws {SigcastError} INVALID_REQUEST unless it is 1–255 visible ASCII characters.
 */
export function idempotencyHeader(req: Request): string | undefined {
  const key = req.headers['idempotency-key'];
  if (key === undefined) return undefined;
  // Node joins the values of a header sent twice with ", ", which the pattern refuses because of the space.
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalidRequest([
      { field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
    ]);
  }
  return key;
}

/**
 * The idempotency of a request: its `Idempotency-Key` with a hash of its body; undefined where it has no key.
 * @param body as the schema parsed it, so that its layout and the order of its members do not matter.
 * @throws {SigcastError} INVALID_REQUEST unless the key is 1–255 visible ASCII characters.
 */
export function idempotencyOf(req: Request, body: unknown, at: Date): Idempotency | undefined {
  const key = idempotencyHeader(req);
  if (key === undefined) return undefined;
  return { key, hash: createHash('sha256').update(JSON.stringify(body)).digest('base64url'), at };
}
