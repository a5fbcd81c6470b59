import { createHash } from 'node:crypto';
import type { ListMeta } from '@sigcast/contracts';
import type { Response } from 'express';

/**
 * Answers with a body and its `ETag`, weak because the gateway may change its encoding (RFC 9110, 8.8.1).
 * Express answers 304 by itself when `If-None-Match` names that tag.
 */
export function sendTagged(
  res: Response,
  body: { readonly success: true; readonly data: unknown; readonly meta?: ListMeta },
): void {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  res.setHeader('ETag', `W/"${digest.slice(0, 22)}"`);
  res.json(body);
}
