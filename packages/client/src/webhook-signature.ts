/** Bytes that Web Crypto takes. */
export type Bytes = Uint8Array<ArrayBuffer>;

const noSecret = 'A secret must be whsec_ and base64, as the API showed it';

/** The key inside a secret. @throws {TypeError} when the secret is invalid; the message does not repeat the secret. */
export function keyOf(secret: string): Bytes {
  const bytes = typeof secret === 'string' ? fromBase64(secret.replace(/^whsec_/, '')) : undefined;
  if (bytes === undefined || bytes.length === 0) throw new TypeError(noSecret);
  return bytes;
}

/** The key inside each secret. @throws {TypeError} when there is no secret, or an invalid one. */
export function keysOf(secret: string | readonly string[]): Bytes[] {
  // In JavaScript a missing setting arrives as undefined.
  const keys = (Array.isArray(secret) ? (secret as readonly string[]) : [secret as string]).map(keyOf);
  if (keys.length === 0) throw new TypeError(noSecret);
  return keys;
}

/** A key of HMAC-SHA256, for one use. */
export function importKey(bytes: Bytes, use: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

/** The signed content (Standard Webhooks, "Signature scheme"): `id.timestamp.body`. */
export function signedContent(id: string, timestamp: string, content: Uint8Array): Bytes {
  const head = encode(`${id}.${timestamp}.`);
  const joined = new Uint8Array(head.length + content.length);
  joined.set(head);
  joined.set(content, head.length);
  return joined;
}

/** A text's bytes in UTF-8. */
export function encode(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** Decodes base64; undefined for an invalid text. */
export function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
