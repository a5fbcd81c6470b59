import { type EntryView, invalidRequest, SigcastError } from '@sigcast/contracts';
import type { Request } from 'express';
import { normaliseEmail } from '../../domain/accounts.ts';
import { networksOf } from '../../domain/client-address.ts';
import { standardPlan } from '../../domain/plan.ts';
import { clientAddress } from '../client-address.ts';
import { inTime } from '../in-time.ts';
import { answerSession, openSession } from './answer-session.ts';
import { type AccountHandlers, holderOf } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { answerConfirmation, answerLetter, invalidLink } from './letters.ts';
import { requireUncommon } from './new-password.ts';
import { linkByAddress, signUpByAll, signUpByNetwork, signUpBySite, signUpBySiteAndDay } from './rules.ts';
import { planView } from './views.ts';

/** How long an answer waits for the plan, in milliseconds. */
const planTimeoutMs = 1_500;

type SignUpHandlers = Pick<AccountHandlers, 'getEntry' | 'signUp' | 'confirmSignUp'>;

/** Making an account: at once, or by the link in a mail. */
export function signUpHandlers(deps: AccountDeps): SignUpHandlers {
  const networkOf = (req: Request) => networksOf(clientAddress(req, deps.trustProxy));
  const entry = async (): Promise<EntryView> => {
    const plan = await inTime(deps.readPlan(), planTimeoutMs);
    return {
      confirms_sign_ups: deps.confirmsSignUps,
      sends_mail: deps.mail.add !== undefined,
      plan: plan === undefined || plan === 'away' ? null : planView(plan),
    };
  };

  /** Before the body, so that nobody can make the gateway read bodies without bound. */
  const charge = async (req: Request) => {
    const { site, network } = networkOf(req);
    await deps.throttle.charge(signUpBySite, site);
    await deps.throttle.charge(signUpBySiteAndDay, site);
    await deps.throttle.charge(signUpByNetwork, network);
  };
  // Last, so that no network uses up more of the limit that holds for all than its own.
  const chargeAll = () => deps.throttle.charge(signUpByAll(deps.signUpsPerHour), 'all');

  const create: (
    request: Pick<Parameters<AccountHandlers['signUp']>[0], 'req' | 'res'>,
    given: { readonly email: string; readonly password: string; readonly isVerified: boolean },
  ) => ReturnType<typeof answerSession> = async ({ req, res }, { email, password, isVerified }) => {
    const { network } = networkOf(req);
    const caller = { kind: 'stranger', name: network, isGone: () => res.destroyed } as const;
    const passwordHash = await deps.passwords.hash(password, caller);
    const asked = deps.verifiesEmail ? 'pending' : 'not-asked';
    const verification = isVerified ? 'verified' : asked;
    const account = await deps.accounts.create({
      email,
      passwordHash,
      plan: standardPlan.name,
      verification,
    });
    if (account === undefined) throw taken();
    await deps.audit.add({ ...holderOf(deps, req, account), action: 'account.created' });
    // The account is made: a letter that can't be added now can be asked for later.
    if (!isVerified && deps.mail.add !== undefined)
      await answerConfirmation(deps, req, account).catch((error: unknown) => {
        if (!(error instanceof SigcastError)) throw error;
      });
    const token = await openSession(deps, req, { account, passwordHash });
    return answerSession(deps, { req, res, account, token, passwordHash });
  };

  return {
    getEntry: async () => ({ data: await entry() }),

    signUp: async (request) => {
      if (deps.confirmsSignUps) {
        await charge(request.req);
        const { email } = await request.body();
        await chargeAll();
        // Nothing is looked up or hashed: every address gets the same answer for the same work.
        const letter = { kind: 'sign-up', to: normaliseEmail(email), values: {} } as const;
        return { ...(await answerLetter(deps, request.req, letter)), isAccepted: true };
      }
      deps.passwords.requirePlace({ kind: 'stranger', name: networkOf(request.req).network });
      await charge(request.req);
      const { email, password } = await request.body();
      if (password === undefined) throw invalidRequest([{ field: 'password', message: 'is required' }]);
      requireUncommon(deps, 'password', password);
      await chargeAll();
      return create(request, { email, password, isVerified: false });
    },

    confirmSignUp: async (request) => {
      await deps.throttle.charge(linkByAddress, clientAddress(request.req, deps.trustProxy));
      const { token, password } = await request.body();
      const email = deps.tokens.signUp.read(token);
      if (email === undefined) throw invalidLink();
      requireUncommon(deps, 'password', password);
      // Whoever reads the mail of an address may know that it has an account.
      if ((await deps.accounts.find(email)) !== undefined) throw taken();
      return create(request, { email, password, isVerified: true });
    },
  };
}

const taken = () => new SigcastError('CONFLICT', 'This e-mail address has an account already');
