import { invalidRequest, SigcastError } from '@sigcast/contracts';
import type { Request } from 'express';
import { recorded } from '../../domain/audit.ts';
import { maxPasskeys } from '../../domain/passkeys.ts';
import {
  creationOptions,
  type RelyingParty,
  readCreated,
  readUse,
  requestOptions,
} from '../../factors/passkeys.ts';
import { clientAddress } from '../client-address.ts';
import { answerSession, openSession } from './answer-session.ts';
import { type AccountHandlers, confirmMade } from './caller.ts';
import { confirmHolder, confirmPassword } from './confirm-password.ts';
import type { AccountDeps } from './deps.ts';
import { relyingParty } from './relying-party.ts';
import { passkeyByAddress } from './rules.ts';
import { requireSameSite } from './session-cookie.ts';
import { passkeyView } from './views.ts';

type PasskeyHandlers = Pick<
  AccountHandlers,
  'beginPasskey' | 'addPasskey' | 'removePasskey' | 'beginPasskeySignIn' | 'signInByPasskey'
>;

/** What challenges for signing in are made for: any account. */
const signInPurpose = 'sign-in';

/** Adding and removing passkeys, and signing in by one. */
export function passkeyHandlers(deps: AccountDeps): PasskeyHandlers {
  const tell = (req: Request, account: string, what: 'passkey-added' | 'passkey-removed', name: string) =>
    deps.tellHolder(account, { what, name, address: clientAddress(req, deps.trustProxy) });
  return {
    beginPasskey: async ({ body, caller, req, res }) => {
      const given = await body();
      const party = requireParty(deps, req);
      const { id: account, email } = caller.account;
      // May refuse, so it comes before a code is used up.
      const known = await passkeysWithRoom(deps, account);
      await confirmHolder(deps, { caller, req, res }, given);
      const challenge = deps.challenges.make(account);
      return {
        data: { options: { ...(await creationOptions(party, { account, email, challenge, known })) } },
      };
    },

    addPasskey: async ({ body, caller, req }) => {
      const { account, by } = caller;
      const { name, credential } = await body();
      const party = requireParty(deps, req);
      const used = new UsedChallenge(deps, account.id);
      const created = await readCreated(party, credential, used.isValid);
      if (created === undefined || !(await used.isFirst())) {
        const message = 'does not answer a challenge of the last five minutes; begin again';
        throw invalidRequest([{ field: 'credential', message }]);
      }
      const added = await recorded(deps.audit, { ...by, action: 'passkey.added' }, async () => {
        const made = await deps.passkeys.add(account.id, name, created);
        if (made === 'full') throw tooMany();
        if (made === 'taken') throw new SigcastError('CONFLICT', 'This passkey is known already');
        await confirmMade(caller, () => deps.passkeys.remove(account.id, made.id));
        return made;
      });
      await tell(req, account.id, 'passkey-added', name);
      return { data: passkeyView(added) };
    },

    removePasskey: async ({ path: { passkey_id: target }, body, caller, req, res }) => {
      await confirmPassword(deps, { caller, res }, (await body()).current_password);
      const entry = { ...caller.by, action: 'passkey.removed', target } as const;
      const removed = await recorded(deps.audit, entry, async () => {
        const found = await deps.passkeys.remove(caller.account.id, target);
        if (found === undefined) throw new SigcastError('NOT_FOUND', 'There is no such passkey');
        return found;
      });
      await tell(req, caller.account.id, 'passkey-removed', removed.name);
      return undefined;
    },

    beginPasskeySignIn: async ({ req }) => {
      await deps.throttle.charge(passkeyByAddress, clientAddress(req, deps.trustProxy));
      const options = await requestOptions(requireParty(deps, req), deps.challenges.make(signInPurpose));
      return { data: { options: { ...options } } };
    },

    signInByPasskey: async ({ body, req, res }) => {
      requireSameSite(deps, req);
      await deps.throttle.charge(passkeyByAddress, clientAddress(req, deps.trustProxy));
      const { credential } = await body();
      const party = requireParty(deps, req);
      const found = await accountByPasskey(deps, party, credential);
      if (found === undefined) {
        throw new SigcastError('UNAUTHORIZED', 'This passkey is not known here, or its answer came too late');
      }
      if (found.account.status !== 'active') throw new SigcastError('FORBIDDEN', 'This account is suspended');
      const token = await openSession(deps, req, found);
      return answerSession(deps, { req, res, token, ...found });
    },
  };
}

/**
 * The account whose passkey has answered a challenge of ours that nobody has used before; undefined for anything else, and for a
 * passkey of before its account's access was revoked, which is yet to be removed.
 */
async function accountByPasskey(
  deps: AccountDeps,
  party: RelyingParty,
  credential: { readonly id: string; readonly response: { readonly userHandle?: unknown } },
): ReturnType<AccountDeps['accounts']['findWithPassword']> {
  const passkey = await deps.passkeys.find(credential.id);
  if (passkey === undefined) return undefined;
  const { userHandle } = credential.response;
  if (userHandle !== Buffer.from(passkey.account).toString('base64url')) return undefined;
  const used = new UsedChallenge(deps, signInPurpose);
  const counter = await readUse(party, passkey, credential, used.isValid);
  // Only now is something stored: strangers make challenges, and can't answer them.
  if (counter === undefined || !(await used.isFirst())) return undefined;
  if (!(await deps.passkeys.noteUse(passkey, counter))) return undefined;
  const found = await deps.accounts.findWithPassword(passkey.account);
  const revokedAt = found?.account.accessRevokedAt;
  return revokedAt && passkey.createdAt <= revokedAt ? undefined : found;
}

/** The challenge in an answer of a browser. */
class UsedChallenge {
  readonly #deps: Pick<AccountDeps, 'challenges' | 'passkeys'>;
  readonly #purpose: string;
  #id: string | undefined;

  constructor(deps: Pick<AccountDeps, 'challenges' | 'passkeys'>, purpose: string) {
    this.#deps = deps;
    this.#purpose = purpose;
  }

  readonly isValid = (challenge: string): boolean => {
    this.#id = this.#deps.challenges.read(challenge, this.#purpose);
    return this.#id !== undefined;
  };

  /** Notes that it was used. False when it was used before. */
  async isFirst(): Promise<boolean> {
    return this.#id !== undefined && (await this.#deps.passkeys.useChallenge(this.#id));
  }
}

/** The passkeys of an account that can have another. @throws {SigcastError} CONFLICT where it has the most allowed. */
async function passkeysWithRoom({ passkeys }: AccountDeps, account: string) {
  const known = await passkeys.list(account);
  if (known.length >= maxPasskeys) throw tooMany();
  return known;
}

function requireParty(deps: AccountDeps, req: Request): RelyingParty {
  const party = relyingParty(deps, req);
  if (party !== undefined) return party;
  throw new SigcastError(
    'CONFLICT',
    'Passkeys need a host name: this server is reached by an IP address, or its operator has not set PUBLIC_URL',
  );
}

const tooMany = () =>
  new SigcastError('CONFLICT', `An account can have ${maxPasskeys} passkeys; remove one first`);
