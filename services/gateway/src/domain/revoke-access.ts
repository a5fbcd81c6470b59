import type { KeyListing } from './api-key.ts';
import type { Passkeys } from './passkeys.ts';
import type { Sessions } from './sessions.ts';

/**
 * Removes an account's passkeys, sessions and keys, after its password was replaced with `revokeAccess`. What begins a session goes
 * before sessions, and what a session makes goes after them, so that nothing new is left behind.
 * @returns the keys that were valid.
 */
export async function revokeAccess(
  {
    passkeys,
    sessions,
    keys,
  }: {
    readonly passkeys: Pick<Passkeys, 'removeAll'>;
    readonly sessions: Pick<Sessions, 'endAll'>;
    readonly keys: { revokeAll(account: string): Promise<KeyListing[]> };
  },
  account: string,
): Promise<KeyListing[]> {
  await passkeys.removeAll(account);
  await sessions.endAll(account);
  return keys.revokeAll(account);
}
