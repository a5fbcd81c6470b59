import { readNote } from './note.ts';
import { type Hash, hashBytes } from './tree.ts';

/** What a log says of itself: its name, how many entries it has, and the root over them. */
export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Hash };

/** The text of a checkpoint, which is signed as a note (C2SP tlog-checkpoint). */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** Reads the text of a checkpoint. Undefined where it is none. */
export function readCheckpoint(text: string): Checkpoint | undefined {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  const hash = Buffer.from(root, 'base64');
  const isWhole = rest.length > 0 && rest.at(-1) === '' && rest.slice(0, -1).every((line) => line !== '');
  const isRoot = hash.length === hashBytes && hash.toString('base64') === root;
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || !isRoot || !isWhole) return undefined;
  return { origin, size: Number(size), root: hash };
}

/** The checkpoint that a note is of, whoever has signed it. Undefined where it is none. */
export function checkpointOf(note: string): Checkpoint | undefined {
  return readCheckpoint(readNote(note)?.text ?? '');
}

/** A proof that can be verified without the log (C2SP tlog-proof): an entry's number, its proof, and the signed checkpoint. */
export function proofText({
  index,
  proof,
  checkpoint,
}: {
  readonly index: number;
  readonly proof: readonly Hash[];
  readonly checkpoint: string;
}): string {
  const hashes = proof.map((hash) => `${hash.toString('base64')}\n`).join('');
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${hashes}\n${checkpoint}`;
}

/** A bundle of entries: each behind its length in two bytes (C2SP tlog-tiles). @throws {RangeError} for an entry of 64 KiB. */
export function entryBundle(entries: readonly Buffer[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

/** The entries of a bundle. Undefined where it breaks off. */
export function entriesOf(bundle: Buffer): Buffer[] | undefined {
  const entries: Buffer[] = [];
  for (let at = 0; at < bundle.length; ) {
    if (at + 2 > bundle.length) return undefined;
    const end = at + 2 + bundle.readUInt16BE(at);
    if (end > bundle.length) return undefined;
    entries.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
