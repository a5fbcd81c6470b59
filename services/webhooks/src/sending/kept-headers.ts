import type { HttpHeader } from '@sigcast/contracts';

/** What of an answer's headers is kept in the log. */
const most = 32;
const mostCharacters = 4_000;
const mostOfOne = 1_000;

/** A session of the receiver's own: anybody who reads the log could use its value. */
const unkept = 'set-cookie';
const unkeptText = '(not kept)';

/**
 * The first headers of an answer, bounded.
 *
 * @param raw names and values in turn, as `IncomingMessage.rawHeaders` has them.
 */
export function keptHeaders(raw: readonly string[]): HttpHeader[] {
  const kept: HttpHeader[] = [];
  let left = mostCharacters;
  for (let at = 0; at + 1 < raw.length && kept.length < most; at += 2) {
    const name = raw[at] ?? '';
    const value = name.toLowerCase() === unkept ? unkeptText : shortened(raw[at + 1] ?? '');
    left -= name.length + value.length;
    if (left < 0) break;
    kept.push({ name, value });
  }
  return kept;
}

function shortened(value: string): string {
  return value.length <= mostOfOne ? value : `${value.slice(0, mostOfOne)}…`;
}
