import { createHash, createPublicKey, verify } from 'node:crypto';

/** A key that verifies checkpoints, as its text says: `<name>+<id>+<base64>` (C2SP signed-note). */
export type LogKey = {
  readonly text: string;
  readonly name: string;
  readonly id: string;
  readonly bytes: Buffer;
};

/** A checkpoint of a log (C2SP tlog-checkpoint), and the signed note that it is in. */
export type Checkpoint = {
  readonly origin: string;
  readonly size: number;
  /** The root, in base64. */
  readonly root: string;
  readonly note: string;
};

/** Bytes of a key's id, and of an Ed25519 key. */
const idBytes = 4;
const keyBytes = 32;

/** Reads the text of a key. Undefined where it is none, or its id is another one's. */
export function readKey(text: string): LogKey | undefined {
  const [, name = '', id = '', base64 = ''] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(text.trim()) ?? [];
  const key = Buffer.from(base64, 'base64');
  const hash = createHash('sha256').update(`${name}\n`).update(key).digest('hex');
  // The first byte says that it is an Ed25519 key.
  if (key.length !== 1 + keyBytes || key[0] !== 1 || hash.slice(0, 2 * idBytes) !== id) return undefined;
  return { text: text.trim(), name, id, bytes: key.subarray(1) };
}

/** Reads a checkpoint. Undefined where the text is none. */
export function readCheckpoint(note: string): Checkpoint | undefined {
  const [, origin = '', size = '', root = ''] =
    /^([^\n]+)\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*\n(?:— [^\n]+\n)+$/u.exec(note) ?? [];
  return origin === '' ? undefined : { origin, size: Number(size), root, note };
}

/** Whether a checkpoint has a signature of this key, and the first one is valid. */
export function isSignedBy({ note }: Checkpoint, { name, id, bytes }: LogKey): boolean {
  const end = note.lastIndexOf('\n\n');
  const text = note.slice(0, end + 1);
  for (const line of note.slice(end + 2).split('\n')) {
    const [mark, signer, base64 = ''] = line.split(' ');
    const signature = Buffer.from(base64, 'base64');
    if (mark !== '—' || signer !== name || signature.toString('hex', 0, idBytes) !== id) continue;
    const publicKey = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
      format: 'jwk',
    });
    return verify(null, Buffer.from(text), publicKey, signature.subarray(idBytes));
  }
  return false;
}
