import { hash, randomBytes } from 'node:crypto';
import { base62 } from './base62.ts';
import { checksum, checksumLength } from './checksum.ts';

/** 192 random bits: of the text that lists show (4 + 4 characters), well over 160 bits stay unknown. */
const secretBytes = 24;
/** Base-62 characters that 192 bits need. */
const secretLength = 33;

const keyPattern = /^sk_([0-9A-HJKMNP-TV-Z]{26})_[0-9A-Za-z]{39}$/;

/** A key whose form and checksum are right; whether it exists, only a look-up tells. */
export type ApiKey = {
  /** The account it names: its record and the account's counters live in one Redis slot. */
  readonly account: string;
  /** SHA-256 of the whole text, hexadecimal: the only form in which a key is stored. */
  readonly sha256: string;
};

/** A new key: `sk_`, the account's own part of its id, `_`, 33 random characters and a checksum of 6. */
export function createApiKey(account: string, random: (size: number) => Buffer = randomBytes) {
  const secret = base62(BigInt(`0x${random(secretBytes).toString('hex')}`), secretLength);
  const unchecked = `sk_${account.slice('acct_'.length)}_${secret}`;
  const text = unchecked + checksum(unchecked);
  return { text, sha256: sha256Of(text), first: secret.slice(0, 4), last: text.slice(-4) };
}

/** Hexadecimal digits of a key's SHA-256 in its id: enough that no two keys ever share one. */
const keyIdDigits = 24;

/** The id that a key has for its account and its operators: `key_` and the start of its hash. */
export function keyIdOf(sha256: string): string {
  return `key_${sha256.slice(0, keyIdDigits)}`;
}

/** Reads a key's text; undefined unless form and checksum are right. Costs no look-up. */
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
