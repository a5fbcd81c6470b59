import { createHash, createPublicKey, verify } from 'node:crypto';

/** The first byte of an Ed25519 key: a log's (C2SP signed-note), and a witness's (C2SP tlog-cosignature). */
const kinds = { log: 0x01, cosigner: 0x04 } as const;

/** A key that verifies cosignatures. */
export type Cosigner = LogKey;

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
/** Bytes of the time in front of a cosignature. */
const timeBytes = 8;

/** Reads the text of a key. Undefined where it is none, or its id is another one's. */
export function readKey(text: string, kind: keyof typeof kinds = 'log'): LogKey | undefined {
  const [, name = '', id = '', base64 = ''] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(text.trim()) ?? [];
  const key = Buffer.from(base64, 'base64');
  const hash = createHash('sha256').update(`${name}\n`).update(key).digest('hex');
  if (key.length !== 1 + keyBytes || key[0] !== kinds[kind] || hash.slice(0, 2 * idBytes) !== id)
    return undefined;
  return { text: text.trim(), name, id, bytes: key.subarray(1) };
}

/** Reads a checkpoint. Undefined where the text is none. */
export function readCheckpoint(note: string): Checkpoint | undefined {
  const [, origin = '', size = '', root = ''] =
    /^([^\n]+)\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*\n(?:— [^\n]+\n)+$/u.exec(note) ?? [];
  return origin === '' ? undefined : { origin, size: Number(size), root, note };
}

/** Whether a checkpoint has a signature of this key, and the first one is valid. */
export function isSignedBy({ note }: Checkpoint, key: LogKey): boolean {
  const { text, signature } = signedBy(note, key);
  return signature !== undefined && isValid(text, signature, key);
}

/** When a witness has cosigned a checkpoint, in POSIX seconds (C2SP tlog-cosignature). Undefined where it has not, or not validly. */
export function cosignedAt({ note }: Checkpoint, key: Cosigner): number | undefined {
  const { text, signature } = signedBy(note, key);
  if (signature === undefined || signature.length <= timeBytes) return undefined;
  const time = signature.readBigUInt64BE();
  const cosigned = `cosignature/v1\ntime ${time}\n${text}`;
  return isValid(cosigned, signature.subarray(timeBytes), key) ? Number(time) : undefined;
}

/** The text of a note, and the first signature of a key there. */
function signedBy(note: string, { name, id }: LogKey): { text: string; signature: Buffer | undefined } {
  const end = note.lastIndexOf('\n\n');
  const signatures = note
    .slice(end + 2)
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([mark, signer]) => mark === '—' && signer === name)
    .map(([, , base64 = '']) => Buffer.from(base64, 'base64'));
  const own = signatures.find((signature) => signature.toString('hex', 0, idBytes) === id);
  return { text: note.slice(0, end + 1), signature: own?.subarray(idBytes) };
}

function isValid(text: string, signature: Buffer, { bytes }: LogKey): boolean {
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
    format: 'jwk',
  });
  return verify(null, Buffer.from(text), publicKey, signature);
}
