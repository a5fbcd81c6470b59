import { identityHeader, SigcastError } from '@sigcast/contracts';
import { firstAnswer, readJson } from './ask-service.ts';
import type { IdentityTokens } from './identity.ts';
import type { Upstream } from './upstream.ts';

const timeoutMs = 10_000;
/** In whose name services are asked for what pages without an account show: that of no account. */
const asker = 'record';

/**
 * Asks a service for the `data` that any client gets at a path.
 * @throws {SigcastError} NOT_FOUND where it has nothing there, SERVICE_UNAVAILABLE while it does not answer.
 */
export type PublicAnswer = <T>(path: string) => Promise<T>;

/** Asks a service in the name of no account. */
export function publicAnswers(service: Upstream, identity: IdentityTokens): PublicAnswer {
  return async <T>(path: string) => {
    const headers = { [identityHeader]: identity.tokenFor(asker) };
    const question = { path, headers, timeoutMs };
    const { status, body } = await firstAnswer(service, question, [200, 404], readJson);
    if (status === 404) throw new SigcastError('NOT_FOUND', `There is nothing at ${path}`);
    return (body as { data: T }).data;
  };
}

/** Undefined where what is asked for is not there. */
export function ifFound<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof SigcastError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}
