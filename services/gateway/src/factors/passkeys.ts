import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Credential, Passkey } from '../domain/passkeys.ts';

/** Loaded at its first use: it takes a twelfth of the start of a gateway, and 20 MB. */
const library = () => import('@simplewebauthn/server');

/** In which somebody has to use the passkey, in milliseconds: less than the life of the challenge. */
const timeout = 240_000;

/** Signatures of passkeys that we take (RFC 9053, RFC 8812): EdDSA, ES256 and RS256, one of which each of them has. */
const algorithms = [-8, -7, -257] as const;

/** What passkeys belong to (Web Authentication, 4: relying party): a host name, and the origins of its pages. */
export type RelyingParty = { readonly id: string; readonly origins: readonly string[] };

/** Whether a challenge, as the browser gives it back, is one of ours that is still valid. */
type IsChallenge = (challenge: string) => boolean;

/** How a browser makes a passkey, as JSON: one that verifies its user, and finds the account by itself. */
export async function creationOptions(
  party: RelyingParty,
  of: {
    readonly account: string;
    readonly email: string;
    readonly challenge: string;
    readonly known: readonly Passkey[];
  },
) {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: 'Sigcast',
    rpID: party.id,
    userName: of.email,
    userID: new TextEncoder().encode(of.account),
    challenge: of.challenge,
    timeout,
    attestationType: 'none',
    supportedAlgorithmIDs: [...algorithms],
    excludeCredentials: of.known.map(({ credentialId: id, transports }) => ({
      id,
      transports: [...transports],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** How a browser asks for a passkey of this party, whichever account it belongs to, as JSON. */
export async function requestOptions(party: RelyingParty, challenge: string) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({ rpID: party.id, challenge, timeout, userVerification: 'required' });
}

/** The new passkey in what a browser answers; undefined for anything but a right answer to a challenge of ours. */
export async function readCreated(
  party: RelyingParty,
  response: unknown,
  isChallenge: IsChallenge,
): Promise<Credential | undefined> {
  const { verifyRegistrationResponse } = await library();
  const verified = await orUndefined(
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: (text) => isChallenge(plain(text)),
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      supportedAlgorithmIDs: [...algorithms],
    }),
  );
  if (!verified?.verified) return undefined;
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
  return { credentialId: id, publicKey, counter, transports };
}

/**
 * The new counter of a passkey in what a browser answers; undefined for anything but a right answer to a challenge of ours, by a
 * passkey that has verified its user and whose counter, if it has one, has grown.
 */
export async function readUse(
  party: RelyingParty,
  { credentialId: id, publicKey, counter }: Passkey,
  response: unknown,
  isChallenge: IsChallenge,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const verified = await orUndefined(
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: (text) => isChallenge(plain(text)),
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      credential: { id, publicKey: Uint8Array.from(publicKey), counter },
    }),
  );
  return verified?.verified ? verified.authenticationInfo.newCounter : undefined;
}

/** The library rejects whatever is wrong with an answer. */
function orUndefined<T>(verified: Promise<T>): Promise<T | undefined> {
  return verified.catch(() => undefined);
}

/** A challenge as it was given. */
function plain(challenge: string): string {
  return Buffer.from(challenge, 'base64url').toString();
}
