import { noStore, resource } from '@sigcast/http';
import type { IRouter } from 'express';
import { changePassword } from './change-password.ts';
import { createKey } from './create-key.ts';
import type { AccountDeps } from './deps.ts';
import { getAccount } from './get-account.ts';
import { getUsage } from './get-usage.ts';
import { listKeys } from './list-keys.ts';
import { renewSession } from './renew-session.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { signUp } from './sign-up.ts';

/** Everything under /account: what an account's holder does, signed in with e-mail address and password. */
export function accountRoutes(router: IRouter, deps: AccountDeps): void {
  router.use('/account', noStore);
  resource(router, '/account', { POST: signUp(deps), GET: getAccount(deps) });
  resource(router, '/account/session', { POST: signIn(deps), DELETE: signOut(deps) });
  resource(router, '/account/session/refresh', { POST: renewSession(deps) });
  resource(router, '/account/password', { POST: changePassword(deps) });
  resource(router, '/account/keys', { GET: listKeys(deps), POST: createKey(deps) });
  resource(router, '/account/keys/:keyId', { DELETE: revokeKey(deps) });
  resource(router, '/account/keys/:keyId/rotate', { POST: rotateKey(deps) });
  resource(router, '/account/usage', { GET: getUsage(deps) });
}
