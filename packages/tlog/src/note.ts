import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** The kinds of Ed25519 keys: of those who sign notes (C2SP signed-note), and of those who cosign (C2SP tlog-cosignature). */
export const keyKinds = { signer: 0x01, cosigner: 0x04 } as const;
type KeyKind = keyof typeof keyKinds;
/** Bytes of a key's id. */
const idBytes = 4;

/** A key that signs notes, with its name. */
export type NoteSigner = { readonly name: string; readonly privateKey: KeyObject };

/** A key that verifies notes. */
export type NoteVerifier = { readonly name: string; readonly id: Buffer; readonly publicKey: KeyObject };

/** A line of a note's signatures: whose it is, and the id and the signature together. */
export type NoteSignature = { readonly name: string; readonly id: Buffer; readonly signature: Buffer };

/** A note: its text, which ends with a new line, and its signatures. */
export type Note = { readonly text: string; readonly signatures: readonly NoteSignature[] };

/** Names of keys have no space and no plus sign. */
export function isKeyName(name: string): boolean {
  return /^[^\s+]+$/u.test(name);
}

/** The 32 bytes of an Ed25519 public key (RFC 8032). */
function bytesOf(key: KeyObject): Buffer {
  const { x = '' } = key.export({ format: 'jwk' });
  return Buffer.from(x, 'base64url');
}

function idOf(name: string, key: Buffer, kind: KeyKind = 'signer'): Buffer {
  return createHash('sha256')
    .update(`${name}\n`)
    .update(Uint8Array.of(keyKinds[kind]))
    .update(key)
    .digest()
    .subarray(0, idBytes);
}

/** The text of the key that verifies what a signer or a cosigner signs: `<name>+<id>+<key>`. */
export function verifierKey({ name, privateKey }: NoteSigner, kind: KeyKind = 'signer'): string {
  const key = bytesOf(createPublicKey(privateKey));
  const typed = Buffer.concat([Uint8Array.of(keyKinds[kind]), key]);
  return `${name}+${idOf(name, key, kind).toString('hex')}+${typed.toString('base64')}`;
}

/** Reads the text of a key. @throws {TypeError} when it is not one of this kind, or its id is not that of the key. */
export function readVerifierKey(text: string, kind: KeyKind = 'signer'): NoteVerifier {
  const [name = '', id = '', ...rest] = text.split('+');
  const key = Buffer.from(rest.join('+'), 'base64');
  const bytes = key.subarray(1);
  const isKey = isKeyName(name) && key[0] === keyKinds[kind] && bytes.length === 32;
  if (!isKey || idOf(name, bytes, kind).toString('hex') !== id) {
    throw new TypeError(`this is no key of a ${kind === 'signer' ? 'log' : 'witness'}`);
  }
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
    format: 'jwk',
  });
  return { name, id: idOf(name, bytes, kind), publicKey };
}

/** The line of a note that has a signature. */
export function signatureLine({ name, id, signature }: NoteSignature): string {
  return `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;
}

/** Signs a text, which ends with a new line. The same text and keys give the same note (RFC 8032). */
export function signNote(text: string, signers: readonly NoteSigner[]): string {
  const lines = signers.map(({ name, privateKey }) => {
    const id = idOf(name, bytesOf(createPublicKey(privateKey)));
    return signatureLine({ name, id, signature: sign(null, Buffer.from(text), privateKey) });
  });
  return `${text}\n${lines.join('')}`;
}

/** Reads a note. Undefined where it has not the form of one. */
export function readNote(note: string): Note | undefined {
  const end = note.lastIndexOf('\n\n');
  const lines = note.slice(end + 2).split('\n');
  if (end < 0 || lines.pop() !== '' || lines.length === 0) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line) ?? [];
    const bytes = Buffer.from(text, 'base64');
    if (!isKeyName(name) || bytes.length <= idBytes) return undefined;
    signatures.push({ name, id: bytes.subarray(0, idBytes), signature: bytes.subarray(idBytes) });
  }
  return { text: note.slice(0, end + 1), signatures };
}

/** Whether a note has a signature of this key, and the first one is valid (C2SP signed-note). */
export function isSignedBy({ text, signatures }: Note, { name, id, publicKey }: NoteVerifier): boolean {
  const own = signatures.find((one) => one.name === name && one.id.equals(id));
  return own !== undefined && verify(null, Buffer.from(text), publicKey, own.signature);
}
