import type { ChangeSource } from '@sigcast/contracts';
import { identityOf } from '@sigcast/http';
import type { Request } from 'express';

/** Who makes the request's changes: the tracker, if the service token is the tracker's, or a producer. */
export function changeSource(req: Request): ChangeSource {
  return identityOf(req).subject === 'tracker' ? 'tracker' : 'producer';
}
