import type { ThrottleRule } from '../../domain/throttle.ts';

const minuteMs = 60_000;

/** Signing in with a wrong password: per client address, and per e-mail address whether or not it has an account. */
export const signInByAddress: ThrottleRule = { name: 'sign-in-from', limit: 30, windowMs: 15 * minuteMs };
export const signInByEmail: ThrottleRule = { name: 'sign-in-to', limit: 10, windowMs: 15 * minuteMs };
/** Signing in with the right password: each costs a hash and a session. */
export const signedInByAccount: ThrottleRule = { name: 'signed-in-to', limit: 60, windowMs: 15 * minuteMs };
/** New accounts from one client address. */
export const signUpByAddress: ThrottleRule = { name: 'sign-up-from', limit: 20, windowMs: 60 * minuteMs };
/** Renewing sessions from one client address. */
export const renewByAddress: ThrottleRule = { name: 'renew-from', limit: 60, windowMs: minuteMs };
/** Everything a signed-in account holder does. */
export const authenticatedRule: ThrottleRule = { name: 'account-of', limit: 300, windowMs: minuteMs };
