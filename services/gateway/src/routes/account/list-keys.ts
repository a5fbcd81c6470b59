import { noQuery, sendData } from '@sigcast/http';
import { asCaller } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { keyView } from './views.ts';

/** `GET /account/keys`: newest first. */
export function listKeys(deps: AccountDeps) {
  return asCaller(deps, async (req, res, { account }) => {
    noQuery(req);
    const keys = await deps.keys.list(account.id);
    sendData(
      res,
      keys.map((key) => keyView(key, deps.clock())),
    );
  });
}
