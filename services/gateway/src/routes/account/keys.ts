import { keyIdSchema, SigcastError, unavailable } from '@sigcast/contracts';
import { type KeyListing, keyIdOf } from '../../domain/api-key.ts';
import { dayMs } from '../../domain/usage.ts';
import type { AccountHandlers, Caller } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { keyView } from './views.ts';

type KeyHandlers = Pick<AccountHandlers, 'listApiKeys' | 'createApiKey' | 'rotateApiKey' | 'revokeApiKey'>;

/** What a holder does with the account's keys. Only the answer that creates a key contains its text. */
export function keyHandlers(deps: AccountDeps): KeyHandlers {
  return {
    listApiKeys: async ({ caller }) => {
      const keys = await deps.keys.list(caller.account.id);
      return { data: keys.map((key) => keyView(key, deps.clock())) };
    },

    createApiKey: async ({ body, caller }) => {
      const { name, environment, expires_in_days: days } = await body();
      const expiresAt = expiryOf(days, deps.clock());
      const account = caller.account.id;
      const key = await createConfirmed(deps, caller, { account, name, environment, expiresAt });
      return { data: { ...keyView(key, deps.clock()), key: key.text } };
    },

    rotateApiKey: async ({ path, body, caller }) => {
      const given = await body();
      const old = await findKey(deps, path.key_id, caller);
      const nowMs = deps.clock();
      if (keyView(old, nowMs).state !== 'active') {
        throw new SigcastError('CONFLICT', 'This key is not active; create a new one');
      }
      const { account, name, environment } = old;
      const expiresAt = expiryOf(given.expires_in_days, nowMs);
      await deps.audit.add({ ...caller.by, action: 'key.rotated', target: keyIdOf(old.sha256) });
      const key = await createConfirmed(deps, caller, { account, name, environment, expiresAt });
      const end = expiryOf(given.overlap_days, nowMs);
      if (given.overlap_days === 0 || end === null) await deps.keys.revoke(old.sha256);
      else await deps.keys.expire(old.sha256, end);
      await deps.propagate(account);
      return { data: { ...keyView(key, nowMs), key: key.text } };
    },

    // A revoked key stays revoked.
    revokeApiKey: async ({ path, caller }) => {
      const key = await findKey(deps, path.key_id, caller);
      await deps.audit.add({ ...caller.by, action: 'key.revoked', target: keyIdOf(key.sha256) });
      const revoked = (await deps.keys.revoke(key.sha256)) ?? key;
      if (!(await deps.propagate(revoked.account))) {
        throw unavailable('The key is revoked, but telling every gateway'); // asking again is harmless
      }
      return { data: keyView(revoked, deps.clock()) };
    },
  };
}

/**
 * Creates a key. A body may have taken seconds: if the session has ended meanwhile, by a password that revokes all keys, nobody
 * gets this one either.
 */
async function createConfirmed(
  { keys, audit }: AccountDeps,
  { by, confirm }: Caller,
  given: Parameters<AccountDeps['keys']['create']>[0],
) {
  const key = await keys.create(given);
  try {
    await confirm();
    await audit.add({ ...by, action: 'key.created', target: keyIdOf(key.sha256) });
  } catch (error) {
    await keys.revoke(key.sha256);
    throw error;
  }
  return key;
}

/** The instant `days` after `nowMs`; null, which means never, for null. */
function expiryOf(days: number | null, nowMs: number): Date | null {
  return days === null ? null : new Date(nowMs + days * dayMs);
}

/** The key that the path names. @throws {SigcastError} NOT_FOUND where there is none, or it is another account's. */
async function findKey({ keys }: AccountDeps, text: string, { account }: Caller): Promise<KeyListing> {
  const id = keyIdSchema.safeParse(text);
  const [key] = id.success ? await keys.find(id.data.slice('key_'.length)) : [];
  if (key === undefined || key.account !== account.id) {
    throw new SigcastError('NOT_FOUND', 'There is no such key');
  }
  return key;
}
