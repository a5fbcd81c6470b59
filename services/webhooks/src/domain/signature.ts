import { createHmac } from 'node:crypto';

/**
 * The `webhook-signature` of a message that several secrets sign: one signature each, separated by spaces (Standard
 * Webhooks, "Zero downtime secret rotation").
 */
export function signAll(
  secrets: readonly string[],
  message: { id: string; timestampS: number; body: string },
): string {
  return secrets.map((secret) => sign(secret, message)).join(' ');
}

/**
 * One signature of a message (Standard Webhooks, "Signature scheme", version 1): HMAC-SHA256 over
 * `id.timestamp.body` with the decoded secret.
 *
 * @param secret `whsec_` and base64.
 * @param timestampS Unix seconds of this attempt.
 */
export function sign(secret: string, message: { id: string; timestampS: number; body: string }): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const mac = createHmac('sha256', key).update(`${message.id}.${message.timestampS}.${message.body}`);
  return `v1,${mac.digest('base64')}`;
}
