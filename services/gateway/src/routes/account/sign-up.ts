import { SigcastError } from '@sigcast/contracts';
import { networksOf } from '../../domain/client-address.ts';
import { standardPlan } from '../../domain/plan.ts';
import { clientAddress } from '../client-address.ts';
import { answerSession, openSession } from './answer-session.ts';
import { type AccountHandlers, holderOf } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { signUpByAll, signUpByNetwork, signUpBySite, signUpBySiteAndDay } from './rules.ts';

/** `POST /account` */
export function signUp(deps: AccountDeps): AccountHandlers['signUp'] {
  return async ({ body, req, res }) => {
    const { site, network } = networksOf(clientAddress(req, deps.trustProxy));
    const caller = { kind: 'stranger', name: network, isGone: () => res.destroyed } as const;
    deps.passwords.requirePlace(caller);
    // Before the body, so that nobody can make the gateway read bodies without bound.
    await deps.throttle.charge(signUpBySite, site);
    await deps.throttle.charge(signUpBySiteAndDay, site);
    await deps.throttle.charge(signUpByNetwork, network);
    const { email, password } = await body();
    // Last, so that no network uses up more of the limit that holds for all than its own.
    await deps.throttle.charge(signUpByAll(deps.signUpsPerHour), 'all');
    const passwordHash = await deps.passwords.hash(password, caller);
    const verification = deps.verifiesEmail ? 'pending' : 'not-asked';
    const account = await deps.accounts.create({
      email,
      passwordHash,
      plan: standardPlan.name,
      verification,
    });
    if (account === undefined)
      throw new SigcastError('CONFLICT', 'This e-mail address has an account already');
    await deps.audit.add({ ...holderOf(deps, req, account), action: 'account.created' });
    const token = await openSession(deps, req, { account, passwordHash });
    return answerSession(deps, { req, res, account, token, passwordHash });
  };
}
