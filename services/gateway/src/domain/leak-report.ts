import { createPublicKey, verify } from 'node:crypto';
import { type ApiKeys, type KeyListing, keyIdOf, parseApiKey } from './api-key.ts';
import type { AuditLog } from './audit.ts';
import type { Mails } from './mail/sending.ts';

/** The public key (PEM) by which a scanner signs reports, by its identifier; undefined where the scanner has none such. */
export type FindReportKey = (identifier: string) => Promise<string | undefined>;

export type LeakReportDeps = {
  readonly keys: Pick<ApiKeys, 'find' | 'revoke'>;
  readonly audit: Pick<AuditLog, 'add'>;
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
 * Handles a text that was found where others can read it. A key of ours is revoked at once, and its holder is told; one that
 * is revoked or expired already stays as it is. The mail waits before the key is revoked: no failure in between revokes a key
 * in silence, and a report that comes again makes no other mail.
 * @returns what the text is, and whether every gateway knows of the revocation.
 * @throws {SigcastError} SERVICE_UNAVAILABLE when a store can't be asked: reporting again is harmless.
 */
export async function handleLeak(
  { keys, audit, addMail, propagate, clock }: LeakReportDeps,
  text: string,
): Promise<{ readonly isKey: boolean; readonly isPropagated: boolean }> {
  const parsed = parseApiKey(text);
  const [key] = parsed === undefined ? [] : await keys.find(parsed.sha256);
  if (key === undefined || key.account !== parsed?.account) return { isKey: false, isPropagated: true };
  if (key.revokedAt !== null) return { isKey: true, isPropagated: await propagate(key.account) };
  if (isExpired(key, clock())) return { isKey: true, isPropagated: true };
  const { account, sha256, first, last } = key;
  const [target, name] = [keyIdOf(sha256), `${key.name} (sk_…${first}…${last})`];
  const at = new Date(clock()).toISOString();
  await audit.add({ account, actor: { kind: 'system' }, action: 'key.reported', target });
  const values = { what: 'key-leaked', address: null, name, at } as const;
  await addMail?.({ id: `leaked:${target}`, account, kind: 'security', values });
  await keys.revoke(sha256);
  return { isKey: true, isPropagated: await propagate(account) };
}

function isExpired({ expiresAt }: KeyListing, nowMs: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= nowMs;
}
