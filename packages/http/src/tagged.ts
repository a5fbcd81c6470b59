import type { Response } from 'express';
import { entityTag } from './entity-tag.ts';

/**
 * Answers with a body and an `ETag`, weak because the gateway may change its encoding (RFC 9110, 8.8.1).
 * Express answers 304 by itself when `If-None-Match` names that tag.
 * @param tagged what the tag is made of, where a part of the body changes with each answer.
 */
export function sendTagged(
  res: Response,
  body: { readonly success: true; readonly data: unknown; readonly meta?: unknown },
  tagged: unknown = body,
): void {
  res.setHeader('ETag', `W/${entityTag(JSON.stringify(tagged))}`);
  res.json(body);
}
