import { hash } from 'node:crypto';
import { SigcastError, signInSchema } from '@sigcast/contracts';
import { parseBody } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { normaliseEmail } from '../../domain/accounts.ts';
import { answerSession } from './begin-session.ts';
import type { AccountDeps } from './deps.ts';
import { signInByAddress, signInByEmail } from './rules.ts';

/** `POST /account/session`. An unknown e-mail address and a wrong password get the same answer for the same work. */
export function signIn(deps: AccountDeps): RequestHandler {
  return async (req, res) => {
    const { email, password } = parseBody(signInSchema, req);
    const address = deps.clientAddress(req);
    const target = hash('sha256', normaliseEmail(email), 'hex');
    await deps.throttle.charge(signInByAddress, address);
    await deps.throttle.charge(signInByEmail, target);
    const found = await deps.accounts.findWithPassword(email);
    if (!(await deps.passwords.matches(password, found?.passwordHash)) || found === undefined) {
      throw new SigcastError('UNAUTHORIZED', 'Wrong e-mail address or password');
    }
    // Whoever knows the password is not the one these limits are for.
    await Promise.all([
      deps.throttle.giveBack(signInByAddress, address),
      deps.throttle.giveBack(signInByEmail, target),
    ]);
    const { account } = found;
    if (account.status !== 'active') throw new SigcastError('FORBIDDEN', 'This account is suspended');
    const token = await deps.sessions.open(account.id);
    await answerSession(deps, { req, res, account, token, status: 200 });
  };
}
