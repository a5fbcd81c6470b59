import { randomBytes } from 'node:crypto';

/** Longer than browsers wait for a passkey, in seconds. */
const ttlS = 300;

/** For how long a used challenge is kept: longer than it is valid, so that clocks of gateways may differ. */
export const usedChallengeMs = 2 * ttlS * 1_000;

/** Challenges that passkeys sign: signed themselves, so nothing is stored when one is made. */
export type PasskeyChallenges = {
  /** @param purpose the account that a passkey is added to, or `sign-in`. */
  make(purpose: string): string;
  /** The id of a valid challenge for this purpose; undefined for any other text. */
  read(challenge: string, purpose: string): string | undefined;
};

type Claims = {
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly ttlS: number;
  readonly sessionId: string;
};

/** Makes challenges with the signer and the verifier of tokens for this purpose alone. */
export function passkeyChallenges(
  sign: (claims: Claims) => string,
  verify: (token: string) => { readonly subject: string; readonly sessionId?: string },
): PasskeyChallenges {
  return {
    make: (purpose) =>
      sign({ subject: purpose, scopes: [], ttlS, sessionId: randomBytes(16).toString('base64url') }),
    read: (challenge, purpose) => {
      try {
        const { subject, sessionId } = verify(challenge);
        return subject === purpose ? sessionId : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
