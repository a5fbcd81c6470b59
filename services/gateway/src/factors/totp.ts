import { Secret, TOTP } from 'otpauth';

/** The length of a seed, in bytes: that of a SHA-1 (RFC 4226, 4). */
const seedBytes = 20;
/** How far a phone's clock may be off, in steps of 30 s. */
const window = 1;

/** A new seed, in base32. */
export function newSeed(): string {
  return new Secret({ size: seedBytes }).base32;
}

/** The address by which an authenticator app takes a seed. */
export function uriOf(seed: string, email: string): string {
  return totpOf(seed, email).toString();
}

/** The step (30 s since 1970) whose code this is (RFC 6238), at most one beside the present; undefined for another text. */
export function stepOf(seed: string, code: string, nowMs: number): number | undefined {
  const delta = totpOf(seed).validate({ token: code, timestamp: nowMs, window });
  return delta === null ? undefined : TOTP.counter({ timestamp: nowMs }) + delta;
}

/** What all authenticator apps can: SHA-1, six digits, 30 s. */
function totpOf(seed: string, label = ''): TOTP {
  const secret = Secret.fromBase32(seed);
  return new TOTP({ issuer: 'Sigcast', label, algorithm: 'SHA1', digits: 6, period: 30, secret });
}
