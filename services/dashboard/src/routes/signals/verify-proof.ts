import type { Signal, SignalProof } from '@sigcast/client';
import { plural } from '../../ui/format.ts';

type Subtle = typeof globalThis.crypto.subtle;

/** Something that was checked, and whether it holds; null where that is open: not there yet, or nothing to check it with here. */
export type Check = { readonly what: string; readonly holds: boolean | null };

/** The number of each entry about a signal, and what was checked of them here. */
export type VerifiedProof = {
  readonly origin: string;
  readonly entries: readonly { readonly index: number; readonly says: string }[];
  readonly checks: readonly Check[];
};

/**
 * Verifies what the public log has about a signal: entries, their proofs (RFC 6962, 2.1.1; RFC 9162, 2.1.3.2) and the
 * checkpoint's signature (C2SP signed-note), as far as the browser can: WebCrypto is only there over HTTPS and on this machine.
 * @param keys the keys that the log says it has, a line each.
 */
export async function verifyProof(
  { origin, checkpoint, entries }: SignalProof,
  keys: string,
  signal: Signal,
  subtle: Subtle | null = globalThis.crypto?.subtle ?? null,
): Promise<VerifiedProof> {
  const { text, signatures } = readNote(checkpoint);
  const [name, size = '', root = ''] = text.split('\n');
  const said = entries.map(({ entry }) => readEntry(entry));
  const inTree = async (crypto: Subtle) => {
    const roots = entries.map((entry) => rootOf(crypto, entry, Number(size)));
    return name === origin && (await Promise.all(roots)).every((each) => each === root);
  };
  return {
    origin,
    entries: entries.map(({ index }, n) => ({ index, says: said[n]?.status ?? said[n]?.kind ?? '' })),
    checks: [
      {
        what: 'The log has the token, its symbol, the type, whether it is premium, when it was created and the market cap at entry as this page has them.',
        holds: saysTheSame(said, signal),
      },
      ...outcomeCheck(said, signal),
      {
        what: `Its entries are in the tree of ${plural(Number(size), 'entry', 'entries')} that the checkpoint names.`,
        holds: subtle === null ? null : await inTree(subtle),
      },
      {
        what: 'The checkpoint is signed with a key that this server names.',
        holds: subtle === null ? null : await isSigned(subtle, { origin, text, signatures, keys }),
      },
    ],
  };
}

type Entry = {
  readonly kind: string;
  readonly signal: string;
  readonly status?: string;
  readonly type?: string;
  readonly created_at?: string;
  readonly is_premium?: boolean;
  readonly token?: { readonly chain: string; readonly contract: string; readonly symbol: string };
  readonly metrics?: { readonly mcap_entry: number };
};

/** Reads an entry. One that can't be read says nothing. */
function readEntry(text: string): Entry {
  try {
    return JSON.parse(text) as Entry;
  } catch {
    return { kind: '', signal: '' };
  }
}

function saysTheSame(
  entries: readonly Entry[],
  { id, type, created_at, token, is_premium, metrics }: Signal,
): boolean {
  const published = entries.find(({ kind }) => kind === 'signal');
  return (
    entries.every((entry) => entry.signal === id) &&
    published?.type === type &&
    published.created_at === created_at &&
    published.token?.chain === token.chain &&
    published.token.contract === token.contract &&
    published.token.symbol === token.symbol &&
    published.is_premium === is_premium &&
    published.metrics?.mcap_entry === metrics.mcap_entry
  );
}

/** The check of a decided status, which is in the log some seconds after its decision. */
function outcomeCheck(entries: readonly Entry[], { performance: { status } }: Signal): Check[] {
  const decided = entries.filter(({ kind }) => kind === 'outcome').map((entry) => entry.status);
  if (status === 'active' && decided.length === 0) return [];
  const isThere = decided.includes(status);
  const what = `The log has the outcome that this page shows (${status}).`;
  return [{ what, holds: isThere || (decided.length === 0 ? null : false) }];
}

/** Whether something is open. */
export function isOpen({ checks }: VerifiedProof): boolean {
  return checks.some(({ holds }) => holds === null);
}

type Note = { readonly text: string; readonly signatures: readonly { name: string; bytes: Uint8Array }[] };

function readNote(note: string): Note {
  const end = note.lastIndexOf('\n\n');
  const lines = note.slice(end + 2).split('\n');
  const signatures = lines.flatMap((line) => {
    const [, name, bytes] = /^— (\S+) (\S+)$/u.exec(line) ?? [];
    return name === undefined || bytes === undefined ? [] : [{ name, bytes: bytesOf(bytes) }];
  });
  return { text: note.slice(0, end + 1), signatures };
}

/** The bytes of an Ed25519 key's id, in front of a signature. */
const idBytes = 4;

/** Whether one of the keys has signed; null where the browser has no Ed25519. */
async function isSigned(
  subtle: Subtle,
  { origin, text, signatures, keys }: Note & { readonly origin: string; readonly keys: string },
): Promise<boolean | null> {
  for (const line of keys.trim().split('\n')) {
    const [name = '', id = '', ...rest] = line.split('+');
    const own = signatures.find(
      (each) => each.name === origin && name === origin && hexOf(each.bytes.slice(0, idBytes)) === id,
    );
    if (own === undefined) continue;
    try {
      const raw = bytesOf(rest.join('+')).slice(1);
      const key = await subtle.importKey('raw', raw, { name: 'Ed25519' }, false, ['verify']);
      return await subtle.verify('Ed25519', key, own.bytes.slice(idBytes), new TextEncoder().encode(text));
    } catch {
      return null;
    }
  }
  return false;
}

/** The root that an entry's proof leads to, in base64; undefined where the proof has another length than the tree needs. */
async function rootOf(
  subtle: Subtle,
  { index, entry, proof }: SignalProof['entries'][number],
  size: number,
): Promise<string | undefined> {
  const hash = async (prefix: number, ...parts: readonly Uint8Array[]) =>
    new Uint8Array(await subtle.digest('SHA-256', joined(Uint8Array.of(prefix), ...parts)));
  if (index >= size) return undefined;
  let [node, last, found] = [index, size - 1, await hash(0, new TextEncoder().encode(entry))];
  for (const text of proof) {
    const sibling = bytesOf(text);
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      found = await hash(1, sibling, found);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else found = await hash(1, found, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? btoa(String.fromCharCode(...found)) : undefined;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** The bytes of a text in base64; none where it is no such text, so that what it was to prove does not hold. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
