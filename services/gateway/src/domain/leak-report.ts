import { createPublicKey, verify } from 'node:crypto';
import { unavailable } from '@sigcast/contracts';
import { type ApiKeys, type KeyListing, keyIdOf, parseApiKey } from './api-key.ts';
import type { AuditLog } from './audit.ts';
import type { Mails } from './mail/sending.ts';

/** The public key (PEM) by which a scanner signs reports, by its identifier; undefined where the scanner has none such. */
export type FindReportKey = (identifier: string) => Promise<string | undefined>;

/** More than an account has keys, revoked ones included. */
const maxReported = 200;

export type LeakReportDeps = {
  readonly keys: Pick<ApiKeys, 'find' | 'revoke'>;
  readonly audit: Pick<AuditLog, 'add' | 'list'>;
  /** Adds a mail; undefined where none is sent. */
  readonly addMail: Mails['add'] | undefined;
  /** Propagates the change of an account's keys to every gateway. False when that fails now. */
  readonly propagate: (account: string) => Promise<boolean>;
  readonly clock: () => number;
};

/** Whether this is the signature of a report's bytes: ECDSA with P-256 and SHA-256, DER in Base64. */
export function isSignatureOf(body: Buffer, signature: string, publicKeyPem: string): boolean {
  try {
    return verify('sha256', body, createPublicKey(publicKeyPem), Buffer.from(signature, 'base64'));
  } catch {
    return false; // the scanner's key is of another kind
  }
}

/**
 * Handles a text that was found where others can read it. A key of ours is revoked first, whatever fails then. Its holder is told
 * once: a report that comes again tells of a key that is revoked already, if a failure kept the first one from that. An expired key
 * stays as it is.
 * @returns whether the text is a key of ours.
 * @throws {SigcastError} SERVICE_UNAVAILABLE when a store can't be asked or a gateway may not know of the revocation: reporting
 * again is harmless.
 */
export async function handleLeak(deps: LeakReportDeps, text: string): Promise<boolean> {
  const { keys, propagate, clock } = deps;
  const parsed = parseApiKey(text);
  const [key] = parsed === undefined ? [] : await keys.find(parsed.sha256);
  if (key === undefined || key.account !== parsed?.account) return false;
  if (key.revokedAt === null && isExpired(key, clock())) return true;
  await keys.revoke(key.sha256);
  const isPropagated = await propagate(key.account);
  await tellOnce(deps, key);
  if (!isPropagated) throw unavailable('The key is revoked, but telling every gateway');
  return true;
}

/** Adds the mail, then the entry of the audit log, which says that both are done. */
async function tellOnce({ audit, addMail, clock }: LeakReportDeps, key: KeyListing): Promise<void> {
  const { account, sha256, first, last, revokedAt } = key;
  const target = keyIdOf(sha256);
  const reported = await audit.list(account, { action: 'key.reported', limit: maxReported });
  if (reported.some((entry) => entry.target === target)) return;
  const name = `${key.name} (sk_…${first}…${last})`;
  const at = (revokedAt ?? new Date(clock())).toISOString();
  const values = { what: 'key-leaked', address: null, name, at } as const;
  await addMail?.({ id: `leaked:${target}`, account, kind: 'security', values });
  await audit.add({ account, actor: { kind: 'system' }, action: 'key.reported', target });
}

function isExpired({ expiresAt }: KeyListing, nowMs: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= nowMs;
}
