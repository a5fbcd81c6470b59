import { SigcastError, signUpSchema } from '@sigcast/contracts';
import { parseBody } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { standardPlan } from '../../domain/plan.ts';
import { clientAddress } from '../client-address.ts';
import { answerSession } from './answer-session.ts';
import type { AccountDeps } from './deps.ts';
import { signUpByAddress } from './rules.ts';

/** `POST /account` */
export function signUp(deps: AccountDeps): RequestHandler {
  return async (req, res) => {
    // Before the body, so that nobody can make the gateway read bodies without bound.
    await deps.throttle.charge(signUpByAddress, clientAddress(req, deps.trustProxy));
    const { email, password } = await parseBody(signUpSchema, req);
    const passwordHash = await deps.passwords.hash(password);
    const verification = deps.verifiesEmail ? 'pending' : 'not-asked';
    const account = await deps.accounts.create({
      ...{ email, passwordHash, plan: standardPlan.name, verification },
    });
    if (account === undefined)
      throw new SigcastError('CONFLICT', 'This e-mail address has an account already');
    const token = await deps.sessions.open(account.id, passwordHash);
    await answerSession(deps, { req, res, account, token, status: 201 });
  };
}
