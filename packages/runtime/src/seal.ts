import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** AES-256-GCM (NIST SP 800-38D): its key, its nonce and its tag, in bytes. */
const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** A key that seals secrets. A higher version is a newer key. */
export type SealKey = { readonly version: number; readonly key: Buffer };

/** Seals secrets for a store, and opens them. */
export type Sealer = {
  /** @param of the id of the record that has the secret; no other record's id opens it. */
  seal(secret: string, of: string): string;
  /** @throws {WrongSeal} when no key opens the text, or the text was sealed for another record. */
  open(sealed: string, of: string): string;
  /** What a sealed text begins with when the newest key sealed it. */
  readonly newestPrefix: string;
  /** What a sealed text begins with, for each key. */
  readonly prefixes: readonly string[];
};

/** A sealed text can't be opened. */
export class WrongSeal extends Error {
  override readonly name = 'WrongSeal';
}

/** A new key, as a line of a file of keys. */
export function newSealKey(version: number): string {
  return `${version}:${randomBytes(keyBytes).toString('base64')}`;
}

/** A setting: one or more lines `version:key`, each key 32 bytes in base64. */
export const sealKeys = z
  .string()
  .transform((text) =>
    text
      .split(/\s+/)
      .filter((line) => line !== '')
      .map((line): SealKey => {
        const [, version = 0, key = ''] = /^([1-9]\d{0,5}):([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
        return { version: Number(version), key: Buffer.from(key, 'base64') };
      }),
  )
  .refine(
    (keys) => keys.length > 0 && keys.every(({ version, key }) => version > 0 && key.length === keyBytes),
    'must be lines such as 1:KEY, each KEY 32 bytes in base64',
  )
  .refine(
    (keys) => new Set(keys.map(({ version }) => version)).size === keys.length,
    'must not have two keys of one version',
  );

/** Seals with the newest of these keys, and opens with all of them. */
export function sealer(keys: readonly SealKey[]): Sealer {
  const byPrefix = new Map(
    keys.toSorted((a, b) => b.version - a.version).map(({ version, key }) => [`k${version}.`, key]),
  );
  const [newest] = byPrefix;
  if (newest === undefined) throw new TypeError('there is no key to seal with');
  const [newestPrefix, newestKey] = newest;
  return {
    newestPrefix,
    prefixes: [...byPrefix.keys()],
    seal: (secret, of) => {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, newestKey, nonce).setAAD(Buffer.from(of));
      const text = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final()]);
      return newestPrefix + Buffer.concat([nonce, sealing.getAuthTag(), text]).toString('base64url');
    },
    open: (sealed, of) => {
      const prefix = sealed.slice(0, sealed.indexOf('.') + 1);
      const key = byPrefix.get(prefix);
      if (key === undefined) throw new WrongSeal('no key opens this secret');
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
      const [nonce, tag] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes, nonceBytes + tagBytes)];
      try {
        const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
          .setAAD(Buffer.from(of))
          .setAuthTag(tag);
        const text = bytes.subarray(nonceBytes + tagBytes);
        return Buffer.concat([opening.update(text), opening.final()]).toString('utf8');
      } catch (cause) {
        throw new WrongSeal('this secret was changed, or belongs to another record', { cause });
      }
    },
  };
}
