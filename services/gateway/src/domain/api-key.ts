import { hash, randomBytes } from 'node:crypto';
import type { ApiScope } from '@sigcast/contracts';
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
export function keyIdOf(sha256: string): `key_${string}` {
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

/** The most keys of an account that are neither revoked nor expired. */
export const maxLiveKeys = 50;

/** What a key may do less than its account, as it is stored; null where it has no such restriction. */
export type KeyLimits = {
  readonly scopes: readonly ApiScope[] | null;
  /** As `normalNetwork` writes them. */
  readonly networks: readonly string[] | null;
  readonly perMinute: number | null;
};

/** The limits of a key that may do everything its account may. */
export const noKeyLimits: KeyLimits = { scopes: null, networks: null, perMinute: null };

/** What a holder changes of a key; absent members stay. */
export type KeyChange = Partial<KeyLimits & { readonly name: string }>;

/** A key as lists show it. The text of the key is not stored. */
export type KeyListing = KeyLimits & {
  readonly sha256: string;
  readonly account: string;
  readonly name: string;
  readonly environment: string;
  /** The first four characters of its random part, and its last four. */
  readonly first: string;
  readonly last: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly lastUsedFrom: string | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
};

/** The API keys of accounts. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type ApiKeys = {
  /**
   * Creates a key. Only the returned value has the key's text; the text is not stored.
   * @throws {SigcastError} CONFLICT when the account has the most keys allowed.
   */
  create(given: {
    account: string;
    name: string;
    environment: string;
    expiresAt: Date | null;
    limits?: KeyLimits;
  }): Promise<KeyListing & { text: string }>;
  /** Changes a key, unless it is revoked. The caller propagates the change. Undefined when there is no such key. */
  change(sha256: string, change: KeyChange): Promise<KeyListing | undefined>;
  /** An account's keys, newest first. */
  list(account: string): Promise<KeyListing[]>;
  /** Keys whose SHA-256 begins with `prefix`; two at most, enough to tell one from several. */
  find(prefix: string): Promise<KeyListing[]>;
  /**
   * Revokes a key. A key that is revoked already is unchanged; the caller propagates it again. Undefined when there is no such
   * key.
   */
  revoke(sha256: string): Promise<KeyListing | undefined>;
  /** Revokes all keys of an account. @returns those that were not revoked before, to be propagated by the caller. */
  revokeAll(account: string): Promise<KeyListing[]>;
  /**
   * Lets a key expire at `at`, or earlier if it does so already, as long as it is as it was read: neither revoked nor with other
   * limits. @returns whether it was.
   */
  expire(key: KeyListing, at: Date): Promise<boolean>;
};
