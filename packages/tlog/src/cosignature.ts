import { verify } from 'node:crypto';
import type { Note, NoteVerifier } from './note.ts';

/** Bytes of the time in front of a cosignature. */
const timeBytes = 8;

/** What a cosigner signs: that it has seen no larger tree of this log at that time, in POSIX seconds (C2SP tlog-cosignature). */
export function cosignedText(text: string, timeS: number): string {
  return `cosignature/v1\ntime ${timeS}\n${text}`;
}

/** When a witness has cosigned a checkpoint, in POSIX seconds; undefined where it has not, or the cosignature is not valid. */
export function cosignedAt(
  { text, signatures }: Note,
  { name, id, publicKey }: NoteVerifier,
): number | undefined {
  const own = signatures.find((one) => one.name === name && one.id.equals(id))?.signature;
  if (own === undefined || own.length <= timeBytes) return undefined;
  const timeS = Number(own.readBigUInt64BE());
  const isValid = verify(null, Buffer.from(cosignedText(text, timeS)), publicKey, own.subarray(timeBytes));
  return isValid ? timeS : undefined;
}
