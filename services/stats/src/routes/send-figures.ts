import { sendTagged } from '@sigcast/http';
import type { Response } from 'express';

/** Answers figures with an `ETag` that leaves out `as_of`, so that unchanged figures keep their tag. */
export function sendFigures(res: Response, data: { readonly as_of: string }): void {
  const { as_of: _asOf, ...figures } = data;
  sendTagged(res, { success: true, data }, figures);
}
