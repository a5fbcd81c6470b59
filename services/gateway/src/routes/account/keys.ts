import { keyIdSchema, SigcastError, unavailable } from '@sigcast/contracts';
import { type KeyListing, keyIdOf, noKeyLimits } from '../../domain/api-key.ts';
import { recorded } from '../../domain/audit.ts';
import { dayMs } from '../../domain/usage.ts';
import type { AccountHandlers, Caller } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { expiryOf, limitsFrom } from './given-key.ts';
import { keyView } from './views.ts';

type KeyHandlers = Pick<
  AccountHandlers,
  'listApiKeys' | 'createApiKey' | 'changeApiKey' | 'rotateApiKey' | 'revokeApiKey'
>;

/** What a holder does with the account's keys. Only the answer that creates a key contains its text. */
export function keyHandlers(deps: AccountDeps): KeyHandlers {
  return {
    listApiKeys: async ({ caller }) => {
      const keys = await deps.keys.list(caller.account.id);
      return { data: keys.map((key) => keyView(key, deps.clock())) };
    },

    createApiKey: async ({ body, caller }) => {
      const given = await body();
      const { name, environment } = given;
      const expiresAt = expiryOf(given, deps.clock());
      const account = caller.account.id;
      const limits = { ...noKeyLimits, ...(await limitsFrom(deps, caller, given)) };
      const key = await createConfirmed(deps, caller, { account, name, environment, expiresAt, limits });
      return { data: { ...keyView(key, deps.clock()), key: key.text } };
    },

    changeApiKey: async ({ path, body, caller }) => {
      const { name, ...given } = await body();
      const key = await findKey(deps, path.key_id, caller);
      const change = { ...(name !== undefined && { name }), ...(await limitsFrom(deps, caller, given)) };
      await caller.confirm(); // a body may have taken seconds
      if (keyView(key, deps.clock()).state !== 'active') throw notActive();
      const entry = { ...caller.by, action: 'key.changed', target: keyIdOf(key.sha256) } as const;
      const changed = await recorded(deps.audit, entry, async () => {
        const found = await deps.keys.change(key.sha256, change);
        if (found === undefined) throw notActive();
        return found;
      });
      await propagate(deps, key.account, 'The key is changed');
      return { data: keyView(changed, deps.clock()) };
    },

    rotateApiKey: async ({ path, body, caller }) => {
      const { overlap_days: overlapDays, ...expiry } = await body();
      const old = await findKey(deps, path.key_id, caller);
      const nowMs = deps.clock();
      if (keyView(old, nowMs).state !== 'active') throw notActive();
      const { account, name, environment } = old;
      const expiresAt = expiryOf(expiry, nowMs);
      const entry = { ...caller.by, action: 'key.rotated', target: keyIdOf(old.sha256) } as const;
      const given = { account, name, environment, expiresAt, limits: old };
      const key = await recorded(deps.audit, entry, async () => {
        const made = await createConfirmed(deps, caller, given);
        try {
          // The new key has the limits of the old one as it was read: whoever narrows that one meanwhile is not undone.
          if (await deps.keys.expire(old, new Date(nowMs + overlapDays * dayMs))) return made;
          const message = 'This key has just been changed; look at it again, and rotate it then';
          throw new SigcastError('CONFLICT', message);
        } catch (error) {
          await deps.keys.revoke(made.sha256); // nobody gets its text
          await deps.audit.add({ ...caller.by, action: 'key.revoked', target: keyIdOf(made.sha256) });
          throw error;
        }
      });
      if (overlapDays === 0) await deps.keys.revoke(old.sha256);
      await deps.propagate(account);
      return { data: { ...keyView(key, nowMs), key: key.text } };
    },

    // A revoked key stays revoked.
    revokeApiKey: async ({ path, caller }) => {
      const key = await findKey(deps, path.key_id, caller);
      await deps.audit.add({ ...caller.by, action: 'key.revoked', target: keyIdOf(key.sha256) });
      const revoked = (await deps.keys.revoke(key.sha256)) ?? key;
      await propagate(deps, revoked.account, 'The key is revoked');
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

/** Tells every gateway of a change of an account's keys. @throws {SigcastError} when that fails; asking again is harmless. */
async function propagate(deps: AccountDeps, account: string, done: string): Promise<void> {
  if (!(await deps.propagate(account))) throw unavailable(`${done}, but telling every gateway`);
}

const notActive = () => new SigcastError('CONFLICT', 'This key is not active; create a new one');

/** The key that the path names. @throws {SigcastError} NOT_FOUND where there is none, or it is another account's. */
async function findKey({ keys }: AccountDeps, text: string, { account }: Caller): Promise<KeyListing> {
  const id = keyIdSchema.safeParse(text);
  const [key] = id.success ? await keys.find(id.data.slice('key_'.length)) : [];
  if (key === undefined || key.account !== account.id) {
    throw new SigcastError('NOT_FOUND', 'There is no such key');
  }
  return key;
}
