import { randomBytes } from 'node:crypto';

/** Bytes of a signing secret; Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** How long a secret that was replaced signs too, in milliseconds: a day to bring the new one to every receiver. */
export const secretOverlapMs = 24 * 3_600_000;

/** Replaced secrets that sign at once; each is a signature more in the header of every attempt. */
export const maxRetiredSecrets = 4;

/** A secret that was replaced, and until when it signs too. */
export type RetiredSecret = { readonly secret: string; readonly until: Date };

/** The secrets of a subscription: the present one, and those it has replaced. */
export type SigningSecrets = { readonly secret: string; readonly retiredSecrets: readonly RetiredSecret[] };

export function newSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

/** Those retired secrets whose time is not over. */
export function stillSigning({ retiredSecrets }: SigningSecrets, now: Date): readonly RetiredSecret[] {
  return retiredSecrets.filter(({ until }) => until > now);
}

/** Every secret an attempt is signed with now, the present one first. */
export function signingSecrets(secrets: SigningSecrets, now: Date): readonly string[] {
  return [secrets.secret, ...stillSigning(secrets, now).map(({ secret }) => secret)];
}

/**
 * The secrets after a rotation: `secret` signs from now on, the one before for the overlap, and each one before that
 * for what is left of its own. Undefined when there would be too many.
 */
export function rotated(secrets: SigningSecrets, secret: string, now: Date): SigningSecrets | undefined {
  const left = stillSigning(secrets, now);
  if (left.length >= maxRetiredSecrets) return undefined;
  const until = new Date(now.getTime() + secretOverlapMs);
  return { secret, retiredSecrets: [{ secret: secrets.secret, until }, ...left] };
}
