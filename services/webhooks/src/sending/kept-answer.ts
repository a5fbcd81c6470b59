import type { HttpHeader } from '@sigcast/contracts';

/** Bounds on the headers of an answer in the log: their number, their size as JSON, and the characters of one value. */
const maxHeaders = 32;
const maxBytes = 4_000;
const maxValueCharacters = 1_000;

/** The value of this header may be a session of the receiver, which a reader of the log could use. */
const redactedHeader = 'set-cookie';
const redactedValue = '(not kept)';

/**
 * The headers of an answer as the log keeps them: the first ones, within the bounds above.
 *
 * @param raw names and values in turn, as in `IncomingMessage.rawHeaders`.
 */
export function keptHeaders(raw: readonly string[]): HttpHeader[] {
  const kept: HttpHeader[] = [];
  let left = maxBytes;
  for (let at = 0; at + 1 < raw.length && kept.length < maxHeaders; at += 2) {
    const name = raw[at] ?? '';
    const value = name.toLowerCase() === redactedHeader ? redactedValue : shortened(raw[at + 1] ?? '');
    left -= name.length + Buffer.byteLength(JSON.stringify(value));
    if (left < 0) break;
    kept.push({ name, value });
  }
  return kept;
}

/** Control characters that are no white space. JSON takes six bytes for each, and nobody can read them. */
const unreadable = /[^\P{Cc}\t\n\r]/gu;

/** The text of the first bytes of an answer as the log keeps it. */
export function keptText(bytes: Buffer): string {
  // With `stream`, the decoder leaves out a last character that was cut.
  return new TextDecoder().decode(bytes, { stream: true }).replace(unreadable, '\ufffd');
}

function shortened(value: string): string {
  return value.length <= maxValueCharacters ? value : `${value.slice(0, maxValueCharacters)}…`;
}
