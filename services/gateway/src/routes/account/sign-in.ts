import { SigcastError } from '@sigcast/contracts';
import { normaliseEmail } from '../../domain/accounts.ts';
import { sha256Of } from '../../domain/api-key.ts';
import { networksOf } from '../../domain/client-address.ts';
import type { PasswordCaller } from '../../domain/password-service.ts';
import { clientAddress } from '../client-address.ts';
import { answerSession, openSession } from './answer-session.ts';
import type { AccountHandlers } from './caller.ts';
import { Charges } from './charges.ts';
import type { AccountDeps } from './deps.ts';
import { deviceOf } from './device-cookie.ts';
import {
  signedInByAccount,
  signedInByOthers,
  signInByAddress,
  signInByEmail,
  signInByNetwork,
  signInByNetworkAndEmail,
  wrongByDevice,
} from './rules.ts';
import { isKnownFully, requireSecondFactor } from './second-factor.ts';
import { requireSameSite } from './session-cookie.ts';

/** `POST /account/session`. An unknown e-mail address and a wrong password get the same answer for the same work. */
export function signIn(deps: AccountDeps): AccountHandlers['signIn'] {
  return async (request) => {
    const { req, res } = request;
    requireSameSite(deps, req);
    const charges = new Charges(deps.throttle);
    const found = await checkPassword(deps, request, charges);
    if (found === undefined) throw new SigcastError('UNAUTHORIZED', 'Wrong e-mail address or password');
    await charges.refund();
    const { account, passwordHash, isKnown, code } = found;
    if (!isKnown) await deps.throttle.charge(signedInByOthers, account.id);
    if (account.status !== 'active') throw new SigcastError('FORBIDDEN', 'This account is suspended');
    const { allow } = await requireSecondFactor(deps, req, { account: account.id, code });
    const token = await allow(openSession(deps, req, { account, passwordHash }));
    return answerSession(deps, { req, res, account, token, passwordHash });
  };
}

/** The account whose e-mail address and password the body names; undefined when one of them is wrong. */
async function checkPassword(
  deps: AccountDeps,
  { body, req, res }: Parameters<AccountHandlers['signIn']>[0],
  charges: Charges,
) {
  const isGone = () => res.destroyed;
  // Not what a full queue refuses: nobody fills it for nothing.
  const findAccount = (email: string) => charges.unlessFailed(deps.accounts.findWithPassword(email));
  const address = clientAddress(req, deps.trustProxy);
  const { network } = networksOf(address);
  const stranger: PasswordCaller = { kind: 'stranger', name: network, isGone };
  const chargeStranger = async () => {
    deps.passwords.requirePlace(stranger);
    await charges.add(signInByAddress, address);
    await charges.add(signInByNetwork, network);
  };
  const device = deviceOf(deps, req);
  // Before the body, and for a device, which may be known to the account of the body, by its cookie.
  await (device === undefined ? chargeStranger() : charges.add(wrongByDevice, device.id));
  const { email, password, code } = await body();
  if (device !== undefined) {
    const found = await findAccount(email);
    if (found !== undefined && device.isKnownTo(found)) {
      // Before the hash and without a refund: right passwords of one account must not take the hashes of all others.
      const isFully = await charges.unlessFailed(isKnownFully(deps, device, found.account.id));
      await deps.throttle.charge(isFully ? signedInByAccount : signedInByOthers, found.account.id);
      const known: PasswordCaller = { kind: 'known', name: found.account.id, isGone };
      const hash = async () => found.passwordHash;
      return (await deps.passwords.matches(password, hash, known))
        ? { ...found, code, isKnown: true }
        : undefined;
    }
    await chargeStranger();
  }
  const target = sha256Of(normaliseEmail(email));
  let found: Awaited<ReturnType<typeof findAccount>>;
  // Not before its turn, so that those who wait or are refused cost the stores little.
  const find = async () => {
    // The limit over all networks comes last, so that no network uses up more of it than its own limit.
    await charges.add(signInByNetworkAndEmail, `${network} ${target}`);
    await charges.add(signInByEmail, target);
    found = await findAccount(email);
    return found?.passwordHash;
  };
  const matches = await deps.passwords.matches(password, find, stranger);
  return matches && found ? { ...found, code, isKnown: false } : undefined;
}
