import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * The `webhook-signature` header of a message: one signature of each key, separated by spaces (Standard Webhooks, "Zero
 * downtime secret rotation").
 */
export function signAll(
  keys: readonly KeyObject[],
  message: { id: string; timestampS: number; body: string },
): string {
  return keys.map((key) => sign(key, message)).join(' ');
}

/**
 * Makes the key of a secret. That takes six times as long as making a signature.
 *
 * @param secret `whsec_` and base64.
 */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
}

/**
 * One signature of a message (Standard Webhooks, "Signature scheme", version 1): HMAC-SHA256 over
 * `id.timestamp.body` with the decoded secret.
 *
 * @param timestampS Unix seconds of this attempt.
 */
export function sign(key: KeyObject, message: { id: string; timestampS: number; body: string }): string {
  const mac = createHmac('sha256', key).update(`${message.id}.${message.timestampS}.${message.body}`);
  return `v1,${mac.digest('base64')}`;
}
