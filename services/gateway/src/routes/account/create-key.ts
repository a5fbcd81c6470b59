import { createApiKeySchema } from '@sigcast/contracts';
import { parseBody, sendData } from '@sigcast/http';
import { dayMs } from '../../domain/usage.ts';
import { asCaller, type Caller } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { keyView } from './views.ts';

/** `POST /account/keys`: creates a key. Only this answer contains the key's text. */
export function createKey(deps: AccountDeps) {
  return asCaller(deps, async (req, res, caller) => {
    const { name, environment, expires_in_days: days } = await parseBody(createApiKeySchema, req);
    const expiresAt = expiryOf(days, deps.clock());
    const { account } = caller;
    const key = await createConfirmed(deps, caller, { account: account.id, name, environment, expiresAt });
    sendData(res, { ...keyView(key, deps.clock()), key: key.text }, 201);
  });
}

/**
 * Creates a key. A body may have taken seconds: if the session has ended meanwhile, by a password that revokes all keys, nobody
 * gets this one either.
 */
export async function createConfirmed(
  { keys }: Pick<AccountDeps, 'keys'>,
  { confirm }: Caller,
  given: Parameters<AccountDeps['keys']['create']>[0],
) {
  const key = await keys.create(given);
  try {
    await confirm();
  } catch (error) {
    await keys.revoke(key.sha256);
    throw error;
  }
  return key;
}

/** The instant `days` after `nowMs`; null, which means never, for null. */
export function expiryOf(days: number | null, nowMs: number): Date | null {
  return days === null ? null : new Date(nowMs + days * dayMs);
}
