import { SigcastError, signInSchema } from '@sigcast/contracts';
import { parseBody } from '@sigcast/http';
import type { Request, RequestHandler } from 'express';
import { normaliseEmail } from '../../domain/accounts.ts';
import { sha256Of } from '../../domain/api-key.ts';
import { networksOf } from '../../domain/client-address.ts';
import type { PasswordCaller } from '../../domain/password-service.ts';
import type { ThrottleRule } from '../../domain/throttle.ts';
import { clientAddress } from '../client-address.ts';
import { answerSession } from './answer-session.ts';
import type { AccountDeps } from './deps.ts';
import { deviceOf } from './device-cookie.ts';
import {
  signedInByAccount,
  signInByAddress,
  signInByEmail,
  signInByNetwork,
  signInByNetworkAndEmail,
  wrongByDevice,
} from './rules.ts';

/** `POST /account/session`. An unknown e-mail address and a wrong password get the same answer for the same work. */
export function signIn(deps: AccountDeps): RequestHandler {
  return async (req, res) => {
    const charged: [ThrottleRule, string][] = [];
    const charge = async (rule: ThrottleRule, subject: string) => {
      await deps.throttle.charge(rule, subject);
      charged.push([rule, subject]);
    };
    const refund = () => Promise.all(charged.map(([rule, subject]) => deps.throttle.refund(rule, subject)));
    // A failure of ours must not count against the client. A full queue does: nobody fills it for nothing.
    const refundFailure = async (error: unknown) => {
      await refund();
      throw error;
    };

    const found = await checkPassword(deps, req, { charge, refundFailure, isGone: () => res.destroyed });
    if (found === undefined) throw new SigcastError('UNAUTHORIZED', 'Wrong e-mail address or password');
    await refund();
    const { account, passwordHash, isKnown } = found;
    if (!isKnown) await deps.throttle.charge(signedInByAccount, account.id);
    if (account.status !== 'active') throw new SigcastError('FORBIDDEN', 'This account is suspended');
    const token = await deps.sessions.open(account.id, passwordHash);
    await answerSession(deps, { req, res, account, token, passwordHash, status: 200 });
  };
}

/** The account whose e-mail address and password the body names; undefined when one of them is wrong. */
async function checkPassword(
  deps: AccountDeps,
  req: Request,
  {
    charge,
    refundFailure,
    isGone,
  }: {
    charge: (rule: ThrottleRule, subject: string) => Promise<void>;
    refundFailure: (error: unknown) => Promise<never>;
    isGone: () => boolean;
  },
) {
  const findAccount = (email: string) => deps.accounts.findWithPassword(email).catch(refundFailure);
  const address = clientAddress(req, deps.trustProxy);
  const { network } = networksOf(address);
  const stranger: PasswordCaller = { kind: 'stranger', name: network, isGone };
  const chargeStranger = async () => {
    deps.passwords.requirePlace(stranger);
    await charge(signInByAddress, address);
    await charge(signInByNetwork, network);
  };
  const device = deviceOf(deps, req);
  // Before the body, and for a device, which may be known to the account of the body, by its cookie.
  await (device === undefined ? chargeStranger() : charge(wrongByDevice, device.id));
  const { email, password } = await parseBody(signInSchema, req);
  if (device !== undefined) {
    const found = await findAccount(email);
    if (found !== undefined && device.isKnownTo(found)) {
      // Before the hash and without a refund: right passwords of one account must not take the hashes of all others.
      await deps.throttle.charge(signedInByAccount, found.account.id);
      const known: PasswordCaller = { kind: 'known', name: found.account.id, isGone };
      const hash = async () => found.passwordHash;
      return (await deps.passwords.matches(password, hash, known)) ? { ...found, isKnown: true } : undefined;
    }
    await chargeStranger();
  }
  const target = sha256Of(normaliseEmail(email));
  let found: Awaited<ReturnType<typeof findAccount>>;
  // Not before its turn, so that those who wait or are refused cost the stores little.
  const find = async () => {
    // The limit over all networks comes last, so that no network uses up more of it than its own limit.
    await charge(signInByNetworkAndEmail, `${network} ${target}`);
    await charge(signInByEmail, target);
    found = await findAccount(email);
    return found?.passwordHash;
  };
  const matches = await deps.passwords.matches(password, find, stranger);
  return matches && found ? { ...found, isKnown: false } : undefined;
}
