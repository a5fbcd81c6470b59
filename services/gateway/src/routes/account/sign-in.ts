import { SigcastError, signInSchema } from '@sigcast/contracts';
import { parseBody } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { normaliseEmail } from '../../domain/accounts.ts';
import { sha256Of } from '../../domain/api-key.ts';
import { clientAddress } from '../client-address.ts';
import { answerSession } from './answer-session.ts';
import type { AccountDeps } from './deps.ts';
import { signedInByAccount, signInByAddress, signInByEmail } from './rules.ts';

/** `POST /account/session`. An unknown e-mail address and a wrong password get the same answer for the same work. */
export function signIn(deps: AccountDeps): RequestHandler {
  return async (req, res) => {
    const address = clientAddress(req, deps.trustProxy);
    // Before the body, so that nobody can make the gateway read bodies without bound.
    await deps.throttle.charge(signInByAddress, address);
    const { email, password } = await parseBody(signInSchema, req);
    const target = sha256Of(normaliseEmail(email));
    await deps.throttle.charge(signInByEmail, target);
    const refund = () =>
      Promise.all([
        deps.throttle.refund(signInByAddress, address),
        deps.throttle.refund(signInByEmail, target),
      ]);
    const found = await checkPassword(deps, email, password).catch(async (error: unknown) => {
      await refund(); // a failure of ours must not count against the client
      throw error;
    });
    if (found === undefined) throw new SigcastError('UNAUTHORIZED', 'Wrong e-mail address or password');
    // These limits are for wrong passwords only.
    await refund();
    const { account } = found;
    await deps.throttle.charge(signedInByAccount, account.id);
    if (account.status !== 'active') throw new SigcastError('FORBIDDEN', 'This account is suspended');
    const token = await deps.sessions.open(account.id, found.passwordHash);
    await answerSession(deps, { req, res, account, token, status: 200 });
  };
}

async function checkPassword({ accounts, passwords }: AccountDeps, email: string, password: string) {
  const found = await accounts.findWithPassword(email);
  return (await passwords.matches(password, found?.passwordHash)) ? found : undefined;
}
