import { SigcastError } from '@sigcast/contracts';
import { findActing } from '../../domain/holder.ts';
import { clientAddress, originOf } from '../client-address.ts';
import { answerSession } from './answer-session.ts';
import type { AccountHandlers } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { renewByAddress } from './rules.ts';
import { clearSessionCookie, sessionCookie, setSessionCookie } from './session-cookie.ts';
import { signIn } from './sign-in.ts';
import { sessionView } from './views.ts';

type SessionHandlers = Pick<
  AccountHandlers,
  'signIn' | 'renewSession' | 'signOut' | 'listSessions' | 'endSession' | 'endOtherSessions'
>;

/** Beginning, renewing, listing and ending sessions. */
export function sessionHandlers(deps: AccountDeps): SessionHandlers {
  return {
    signIn: signIn(deps),

    renewSession: async ({ req, res }) => {
      const text = sessionCookie(deps, req);
      await deps.throttle.charge(renewByAddress, clientAddress(req, deps.trustProxy));
      const renewed =
        text === undefined ? undefined : await deps.sessions.renew(text, originOf(req, deps.trustProxy));
      // Already here: the old token is replaced, so an error below must carry the new one, too.
      if (renewed !== undefined) setSessionCookie(deps, { req, res, token: renewed.token });
      const account = renewed === undefined ? undefined : await deps.accounts.find(renewed.account);
      if (renewed === undefined || account === undefined) {
        clearSessionCookie(deps, req, res);
        throw new SigcastError('UNAUTHORIZED', 'There is no session to renew');
      }
      if (account.status !== 'active') throw new SigcastError('FORBIDDEN', 'This account is suspended');
      const { token, actsFor = account.id } = renewed;
      // Whoever is no member any more, or of a suspended account, goes on with their own.
      const acting = await findActing(deps, account, actsFor);
      const isUsable = acting?.account.status === 'active';
      return answerSession(deps, { req, res, account, token, ...(isUsable && { acting }) });
    },

    // Whether or not there was a session.
    signOut: async ({ req, res }) => {
      const text = sessionCookie(deps, req);
      await deps.throttle.charge(renewByAddress, clientAddress(req, deps.trustProxy));
      const ended = text === undefined ? undefined : await deps.sessions.endByToken(text);
      if (ended !== undefined) {
        const { account, sessionId: target } = ended;
        const by = {
          account,
          actor: { kind: 'holder', id: account },
          origin: originOf(req, deps.trustProxy),
        } as const;
        // Afterwards, and whether or not it is stored: nobody is kept from signing out.
        await deps.audit.add({ ...by, action: 'session.ended', target }).catch(() => undefined);
      }
      clearSessionCookie(deps, req, res);
      return undefined;
    },

    listSessions: async ({ caller: { account, sessionId } }) => {
      const open = await deps.sessions.list(account.id);
      return { data: open.map((session) => sessionView(session, sessionId)) };
    },

    endSession: async ({ path: { session_id: target }, caller: { account, by } }) => {
      if (!(await deps.sessions.endOne(account.id, target))) {
        throw new SigcastError('NOT_FOUND', 'There is no such session');
      }
      await deps.audit.add({ ...by, action: 'session.ended', target }).catch(() => undefined);
      return undefined;
    },

    endOtherSessions: async ({ caller: { account, sessionId, by } }) => {
      const ended = await deps.sessions.endOthers(account.id, sessionId);
      await deps.audit.add({ ...by, action: 'session.ended' }).catch(() => undefined);
      return { data: { ended } };
    },
  };
}
