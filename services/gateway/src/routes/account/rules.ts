import type { ThrottleRule } from '../../domain/throttle.ts';
import { dayMs } from '../../domain/usage.ts';

const minuteMs = 60_000;

/**
 * Signing in with a wrong password, from a device that has not signed in to the account before: per client address, per
 * network, per network and e-mail address, and per e-mail address over all networks. Whether the address has an account
 * makes no difference. The last limit is high, because strangers can use it up.
 */
export const signInByAddress: ThrottleRule = { name: 'sign-in-from', limit: 30, windowMs: 15 * minuteMs };
export const signInByNetwork: ThrottleRule = {
  name: 'sign-in-from-network',
  limit: 300,
  windowMs: 15 * minuteMs,
};
export const signInByNetworkAndEmail: ThrottleRule = {
  name: 'sign-in-from-to',
  limit: 10,
  windowMs: 15 * minuteMs,
};
export const signInByEmail: ThrottleRule = { name: 'sign-in-to', limit: 500, windowMs: 60 * minuteMs };
/** Tries from one device that has signed in before, as far as they do not succeed, or of a session to set a new password. */
export const wrongByDevice: ThrottleRule = { name: 'sign-in-device', limit: 10, windowMs: 15 * minuteMs };
/** Hashes for one account: all tries of sessions, and of known devices that have signed in with its second factor, if it has one. */
export const signedInByAccount: ThrottleRule = { name: 'signed-in-to', limit: 60, windowMs: 15 * minuteMs };
/** Hashes for right passwords of all other devices: apart, so that whoever knows the password alone keeps none of those out. */
export const signedInByOthers: ThrottleRule = {
  name: 'signed-in-to-by-others',
  limit: 60,
  windowMs: 15 * minuteMs,
};
/** Wrong codes of a second factor: of one device that has signed in with it before, or of a session. */
export const wrongCodeByDevice: ThrottleRule = { name: 'code-device', limit: 10, windowMs: 15 * minuteMs };
/** Wrong codes from all other devices: 30 a day guess one of three valid codes once in 30 years. */
export const wrongCodeByAccount: ThrottleRule = { name: 'code-of', limit: 10, windowMs: 15 * minuteMs };
export const wrongCodeByAccountAndDay: ThrottleRule = { name: 'code-day-of', limit: 30, windowMs: dayMs };
/** New accounts from one site (an IPv4 address or a /56), and from one network (a /24 of IPv4 or a /48). */
export const signUpBySite: ThrottleRule = { name: 'sign-up-from', limit: 20, windowMs: 60 * minuteMs };
export const signUpBySiteAndDay: ThrottleRule = { name: 'sign-up-day-from', limit: 50, windowMs: dayMs };
export const signUpByNetwork: ThrottleRule = { name: 'sign-up-network', limit: 200, windowMs: dayMs };
/** New accounts from anywhere. */
export const signUpByAll = (perHour: number): ThrottleRule => ({
  name: 'sign-up',
  limit: perHour,
  windowMs: 60 * minuteMs,
});
/** Asking for mails to reset passwords: from one client address, from one network, and of it for one e-mail address. */
export const resetByAddress: ThrottleRule = { name: 'reset-from', limit: 10, windowMs: 60 * minuteMs };
export const resetByNetwork: ThrottleRule = {
  name: 'reset-from-network',
  limit: 100,
  windowMs: 60 * minuteMs,
};
export const resetByNetworkAndEmail: ThrottleRule = {
  name: 'reset-from-to',
  limit: 5,
  windowMs: 60 * minuteMs,
};
/** Following links of mails from one client address. */
export const linkByAddress: ThrottleRule = { name: 'link-from', limit: 30, windowMs: 15 * minuteMs };
/** Mails to addresses that an account names, so that none can be used to write to many. */
export const lettersByAccount: ThrottleRule = { name: 'letters-of-account', limit: 10, windowMs: dayMs };
/** Letters of one kind that one network asks for, so that no network uses up what is sent to all. */
export const lettersByNetwork: ThrottleRule = { name: 'letters-from-network', limit: 200, windowMs: dayMs };
/** Renewing sessions from one client address. */
export const renewByAddress: ThrottleRule = { name: 'renew-from', limit: 60, windowMs: minuteMs };
/** Beginning and ending to sign in by a passkey, from one client address. Nobody guesses a signature. */
export const passkeyByAddress: ThrottleRule = { name: 'passkey-from', limit: 60, windowMs: minuteMs };
/** Everything a signed-in account holder does. */
export const authenticatedRule: ThrottleRule = { name: 'account-of', limit: 300, windowMs: minuteMs };
/** Invitations of an account, each of which is a mail to an address that somebody has entered. */
export const invitationsByAccount: ThrottleRule = { name: 'invitations-of', limit: 50, windowMs: dayMs };
/** Tries of a person to accept an invitation. */
export const acceptByAccount: ThrottleRule = { name: 'accept-of', limit: 20, windowMs: 60 * minuteMs };
/** Downloads of an account's audit log, which may read tens of thousands of entries. */
export const exportByAccount: ThrottleRule = { name: 'export-of', limit: 10, windowMs: 60 * minuteMs };
/** Reports of leaked keys, from one network: verifying a signature takes longer than answering most requests. */
export const reportByNetwork: ThrottleRule = { name: 'report-from', limit: 120, windowMs: minuteMs };
