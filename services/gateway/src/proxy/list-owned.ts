import { identityHeader } from '@sigcast/contracts';
import { firstAnswer, readJson } from './ask-service.ts';
import type { IdentityTokens } from './identity.ts';
import type { Upstream } from './upstream.ts';

/** For all addresses of a service together, in milliseconds. */
const timeoutMs = 5_000;
/** Accounts have fewer webhooks and backtests. */
const most = 100;

/**
 * Lists what an account has at a service, as the account itself does: `path` is the path of a list.
 * @returns a function of the account's id, which answers null when the service does not answer, or there is none.
 */
export function listOwned<T>(
  upstream: Upstream | undefined,
  identity: IdentityTokens,
  path: string,
): (account: string) => Promise<T[] | null> {
  return async (account) => {
    if (upstream === undefined) return null;
    const headers = { [identityHeader]: identity.tokenFor(account) };
    try {
      const { body } = await firstAnswer(
        upstream,
        { path: `${path}?limit=${most}`, headers, timeoutMs },
        [200],
        readJson,
      );
      return (body as { data: T[] }).data;
    } catch {
      return null;
    }
  };
}
