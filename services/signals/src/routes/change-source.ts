import { type ChangeSource, type Evidence, SigcastError, signalsDecideScope } from '@sigcast/contracts';
import { identityOf } from '@sigcast/http';
import type { Request } from 'express';

/**
 * Who makes the request's changes: the tracker, if the service token has the scope for decisions, or a producer.
 * @throws {SigcastError} FORBIDDEN for a producer that sends evidence.
 */
export function changeSource(
  req: Request,
  changes: readonly { readonly evidence?: Evidence | undefined }[] = [],
): ChangeSource {
  if (identityOf(req).scopes.includes(signalsDecideScope)) return 'tracker';
  if (changes.some(({ evidence }) => evidence !== undefined)) {
    throw new SigcastError(
      'FORBIDDEN',
      `\`evidence\` needs a service token with the scope ${signalsDecideScope}`,
    );
  }
  return 'producer';
}
