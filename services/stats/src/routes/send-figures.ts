import { entityTag, sendData } from '@sigcast/http';
import type { Response } from 'express';

/**
 * Answers figures with a weak `ETag` (RFC 9110, 8.8.1) that leaves out `as_of`, so that unchanged figures keep their tag.
 * Express answers 304 by itself when `If-None-Match` names this tag.
 */
export function sendFigures(res: Response, data: { readonly as_of: string }): void {
  const { as_of: _asOf, ...figures } = data;
  res.setHeader('ETag', `W/${entityTag(JSON.stringify(figures))}`);
  sendData(res, data);
}
