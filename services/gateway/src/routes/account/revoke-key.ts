import { unavailable } from '@sigcast/contracts';
import { noQuery, sendData } from '@sigcast/http';
import { asCaller } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { findKey } from './find-key.ts';
import { keyView } from './views.ts';

/** `DELETE /account/keys/{key_id}`: revokes a key and answers when every gateway knows it. A revoked key stays revoked. */
export function revokeKey(deps: AccountDeps) {
  return asCaller(deps, async (req, res, caller) => {
    noQuery(req);
    const key = await findKey(deps, req, caller);
    const revoked = (await deps.keys.revoke(key.sha256)) ?? key;
    if (!(await deps.propagateKey(revoked))) {
      throw unavailable('The key is revoked, but telling every gateway'); // asking again is harmless
    }
    sendData(res, keyView(revoked, deps.clock()));
  });
}
