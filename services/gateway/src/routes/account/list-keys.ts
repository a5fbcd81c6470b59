import { sendData } from '@sigcast/http';
import { asCaller } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { keyView } from './views.ts';

/** `GET /account/keys`: newest first. */
export function listKeys(deps: AccountDeps) {
  return asCaller(deps, async (_req, res, { account }) => {
    const keys = await deps.accounts.listKeys(account.id);
    sendData(
      res,
      keys.map((key) => keyView(key, deps.clock())),
    );
  });
}
