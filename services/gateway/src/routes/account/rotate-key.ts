import { rotateApiKeySchema, SigcastError } from '@sigcast/contracts';
import { parseBody, sendData } from '@sigcast/http';
import { asCaller } from './caller.ts';
import { createConfirmed, expiryOf } from './create-key.ts';
import type { AccountDeps } from './deps.ts';
import { findKey } from './find-key.ts';
import { keyView } from './views.ts';

/** `POST /account/keys/{key_id}/rotate`: creates a key with the same name. The old key stays valid for the overlap. */
export function rotateKey(deps: AccountDeps) {
  return asCaller(deps, async (req, res, caller) => {
    const given = await parseBody(rotateApiKeySchema, req, {});
    const old = await findKey(deps, req, caller);
    const nowMs = deps.clock();
    if (keyView(old, nowMs).state !== 'active') {
      throw new SigcastError('CONFLICT', 'This key is not active; create a new one');
    }
    const { account, name, environment } = old;
    const expiresAt = expiryOf(given.expires_in_days, nowMs);
    const key = await createConfirmed(deps, caller, { account, name, environment, expiresAt });
    const end = expiryOf(given.overlap_days, nowMs);
    if (given.overlap_days === 0 || end === null) await deps.keys.revoke(old.sha256);
    else await deps.keys.expire(old.sha256, end);
    await deps.propagateKey(old);
    sendData(res, { ...keyView(key, nowMs), key: key.text }, 201);
  });
}
