import { invitationDays } from '@sigcast/contracts';
import type { Account } from './accounts.ts';
import { sha256Of } from './api-key.ts';

/** How long the links of mails work, in seconds: one for a new password at most a day (NIST SP 800-63B-4, 4.2.1.2). */
const ttlS = { day: 86_400, invitation: invitationDays * 86_400 } as const;

/** Signs a token for one audience, and reads it: `read` throws for any other text. */
type TokenPair = {
  readonly sign: (claims: {
    readonly subject: string;
    readonly scopes: readonly string[];
    readonly ttlS: number;
    readonly sessionId?: string;
  }) => string;
  readonly read: (token: string) => { readonly subject: string; readonly sessionId?: string };
};

/** An account with what a token for a new password is bound to. */
type Resettable = { readonly account: Account; readonly passwordHash: string };

/**
 * The tokens in links of mails: none is stored. `read` answers undefined for a token that is wrong or too old. A token to reset
 * a password ends with that password and with the e-mail address that it was sent to, so it works once.
 */
export type LinkTokens = ReturnType<typeof linkTokens>;

/** Makes the tokens of links, each kind for an audience of its own. */
export function linkTokens(pairs: {
  readonly signUp: TokenPair;
  readonly reset: TokenPair;
  readonly confirm: TokenPair;
  readonly invitation: TokenPair;
}) {
  const readBy = (pair: TokenPair, token: string) => {
    try {
      return pair.read(token);
    } catch {
      return undefined;
    }
  };
  return {
    /** For an account that has yet to be made: says that its holder reads the mail of an address. */
    signUp: {
      make: (email: string) => pairs.signUp.sign({ subject: email, scopes: [], ttlS: ttlS.day }),
      read: (token: string) => readBy(pairs.signUp, token)?.subject,
    },
    reset: {
      make: (found: Resettable) =>
        pairs.reset.sign({
          subject: found.account.id,
          scopes: [],
          ttlS: ttlS.day,
          sessionId: resetMark(found),
        }),
      read: (token: string) => accountAndMark(readBy(pairs.reset, token)),
      isFor: (found: Resettable, mark: string) => resetMark(found) === mark,
    },
    /** For an invitation, by its id: what it is for is stored, and whether it still waits. */
    invitation: {
      make: (id: string) => pairs.invitation.sign({ subject: id, scopes: [], ttlS: ttlS.invitation }),
      read: (token: string) => readBy(pairs.invitation, token)?.subject,
    },
    /** For an address that an account has, or is to have. */
    confirm: {
      make: (account: string, email: string) =>
        pairs.confirm.sign({ subject: account, scopes: [], ttlS: ttlS.day, sessionId: sha256Of(email) }),
      read: (token: string) => accountAndMark(readBy(pairs.confirm, token)),
      isFor: (email: string, mark: string) => sha256Of(email) === mark,
    },
  };
}

/** Changes with the password and with the address. The hash that it is made of has a random salt, so it tells nothing of either. */
function resetMark({ account, passwordHash }: Resettable): string {
  return sha256Of(`${passwordHash} ${account.email}`);
}

function accountAndMark(claims: { readonly subject: string; readonly sessionId?: string } | undefined) {
  if (claims?.sessionId === undefined) return undefined;
  return { account: claims.subject, mark: claims.sessionId };
}
