import { encode, importKey, keyOf, signedContent } from './webhook-signature.ts';

/**
 * Creates the signed headers of a delivery, as the API sends them: for tests of a receiver.
 *
 * @param body exactly as it will be sent.
 * @param message the event's id, and the time of the attempt. Default: the present time.
 * @throws {TypeError} when the secret is invalid.
 */
export async function signWebhook(
  body: string,
  { id, at = new Date() }: { readonly id: string; readonly at?: Date },
  secret: string,
): Promise<{
  readonly 'content-type': 'application/json';
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const key = await importKey(keyOf(secret), 'sign');
  const mac = await crypto.subtle.sign('HMAC', key, signedContent(id, timestamp, encode(body)));
  const signature = btoa(String.fromCharCode(...new Uint8Array(mac)));
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
