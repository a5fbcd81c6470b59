import { hash, randomBytes } from 'node:crypto';
import { base62 } from './base62.ts';
import { checksum, checksumLength } from './checksum.ts';

/** 192 random bits. Lists show 8 characters of a key, so well over 160 bits stay secret. */
const secretBytes = 24;
/** Base-62 characters that 192 bits need. */
const secretLength = 33;

const keyPattern = /^sk_([0-9A-HJKMNP-TV-Z]{26})_[0-9A-Za-z]{39}$/;

/** A key with a valid form and checksum. Only a look-up tells whether it exists. */
export type ApiKey = {
  /** The account that the key's text names. Redis keys contain it as their hash tag, so that the records of key and account and the account's windows are on one master. */
  readonly account: string;
  /** SHA-256 of the whole text, hexadecimal: the only form in which a key is stored. */
  readonly sha256: string;
};

/** Creates a key: `sk_`, the account's id without `acct_`, `_`, 33 random characters and a checksum of 6. */
export function createApiKey(account: string, random: (size: number) => Buffer = randomBytes) {
  const secret = base62(BigInt(`0x${random(secretBytes).toString('hex')}`), secretLength);
  const unchecked = `sk_${account.slice('acct_'.length)}_${secret}`;
  const text = unchecked + checksum(unchecked);
  return { text, sha256: sha256Of(text), first: secret.slice(0, 4), last: text.slice(-4) };
}

/** Hexadecimal digits of a key's SHA-256 in its id: enough that no two keys share an id. */
const keyIdDigits = 24;

/** The public id of a key: `key_` and the start of its hash. */
export function keyIdOf(sha256: string): string {
  return `key_${sha256.slice(0, keyIdDigits)}`;
}

/** Parses the text of a key; undefined when its form or checksum is wrong. */
export function parseApiKey(text: string): ApiKey | undefined {
  const account = keyPattern.exec(text)?.[1];
  if (account === undefined) return undefined;
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined;
  return { account: `acct_${account}`, sha256: sha256Of(text) };
}

/** The token of an `Authorization: Bearer` header; undefined for another scheme or none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/** SHA-256, hexadecimal. */
export function sha256Of(text: string): string {
  return hash('sha256', text, 'hex');
}
