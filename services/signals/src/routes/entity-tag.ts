import type { ListMeta } from '@sigcast/contracts';
import { entityTag } from '@sigcast/http';
import type { Response } from 'express';

/**
 * Answers with a body and its `ETag`, weak because the gateway may change its encoding (RFC 9110, 8.8.1).
 * Express answers 304 by itself when `If-None-Match` names that tag.
 */
export function sendTagged(
  res: Response,
  body: { readonly success: true; readonly data: unknown; readonly meta?: ListMeta },
): void {
  res.setHeader('ETag', `W/${entityTag(JSON.stringify(body))}`);
  res.json(body);
}
