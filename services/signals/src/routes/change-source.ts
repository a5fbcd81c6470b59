import { type ChangeSource, SigcastError, type SignalPatch, signalsDecideScope } from '@sigcast/contracts';
import { identityOf } from '@sigcast/http';
import type { Request } from 'express';

/**
 * Who makes the request's changes: the tracker, if the service token has the scope for decisions, or a producer.
 * @throws {SigcastError} FORBIDDEN for a producer that sends what only the tracker's rules say.
 */
export function changeSource(
  req: Request,
  changes: readonly Pick<SignalPatch, 'evidence' | 'realizable'>[] = [],
): ChangeSource {
  if (identityOf(req).scopes.includes(signalsDecideScope)) return 'tracker';
  for (const member of ['evidence', 'realizable'] as const) {
    if (changes.every((change) => change[member] === undefined)) continue;
    throw new SigcastError(
      'FORBIDDEN',
      `\`${member}\` needs a service token with the scope ${signalsDecideScope}`,
    );
  }
  return 'producer';
}
