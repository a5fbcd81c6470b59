import { randomBytes } from 'node:crypto';

/** Bytes of a signing secret; Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** How long a replaced secret signs beside the new one, in milliseconds: 24 hours to bring the new one to every receiver. */
export const secretOverlapMs = 24 * 3_600_000;

/** The most replaced secrets that sign at once; each adds a signature to the header of every attempt. */
export const maxRetiredSecrets = 4;

/** Seals a secret for the store, and opens it; `of`: the id of the subscription that has it. */
export type SecretSealer = {
  seal(secret: string, of: string): string;
  open(sealed: string, of: string): string;
};

/** A replaced secret, sealed, and until when it signs. */
export type RetiredSecret = { readonly secret: string; readonly until: Date };

/** The secrets of a subscription, sealed: the current one and the replaced ones. */
export type SigningSecrets = { readonly secret: string; readonly retiredSecrets: readonly RetiredSecret[] };

export function newSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

/** The replaced secrets that still sign. */
export function stillSigning({ retiredSecrets }: SigningSecrets, now: Date): readonly RetiredSecret[] {
  return retiredSecrets.filter(({ until }) => until > now);
}

/** All secrets that sign an attempt now, the current one first. */
export function signingSecrets(secrets: SigningSecrets, now: Date): readonly string[] {
  return [secrets.secret, ...stillSigning(secrets, now).map(({ secret }) => secret)];
}

/**
 * The secrets after a rotation: `secret` becomes the current one, and the one before signs for {@link secretOverlapMs}
 * more. Undefined when more than {@link maxRetiredSecrets} would sign.
 */
export function rotated(secrets: SigningSecrets, secret: string, now: Date): SigningSecrets | undefined {
  const left = stillSigning(secrets, now);
  if (left.length >= maxRetiredSecrets) return undefined;
  const until = new Date(now.getTime() + secretOverlapMs);
  return { secret, retiredSecrets: [{ secret: secrets.secret, until }, ...left] };
}
