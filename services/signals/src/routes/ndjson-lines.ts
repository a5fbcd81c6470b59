import { newSignalSchema, problemText } from '@sigcast/contracts';
import { check, maxBodyBytes } from '@sigcast/http';
import type { ImportLine } from '../domain/import-signals.ts';

const lineFeed = 0x0a;

/** A parsed line, without its length. */
type ReadLine = ImportLine extends infer Line ? (Line extends unknown ? Omit<Line, 'bytes'> : never) : never;

/** A line's bytes without the line break; undefined for a line over 100 kB. */
type RawLine = { readonly line: number; readonly bytes: Buffer | undefined };

/**
 * Reads newline-delimited JSON (`\n` or `\r\n`) as signals to create. Blank lines are skipped, but counted.
 * Holds at most one chunk and one line of 100 kB in memory. A longer line is reported as an error.
 */
export async function* ndjsonLines(stream: AsyncIterable<Buffer>): AsyncGenerator<ImportLine> {
  for await (const { line, bytes } of splitLines(stream)) {
    if (bytes === undefined) yield { ...unreadable(line, 'The line is over 100 kB'), bytes: 0 };
    else if (!isBlank(bytes)) yield { ...parseLine(line, bytes), bytes: bytes.length };
  }
}

async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<RawLine> {
  let line = 1;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isTooLong = false;

  const hold = (part: Buffer) => {
    heldBytes += part.length;
    if (heldBytes > maxBodyBytes) {
      isTooLong = true;
      held = [];
    } else if (part.length > 0) {
      held.push(part);
    }
  };
  const take = (): RawLine => {
    const taken = { line, bytes: isTooLong ? undefined : Buffer.concat(held) };
    line++;
    held = [];
    heldBytes = 0;
    isTooLong = false;
    return taken;
  };

  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      hold(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    hold(chunk.subarray(start));
  }
  if (heldBytes > 0) yield take();
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The most problems of one line that are reported; a line can have thousands. */
const maxDetails = 10;

function parseLine(line: number, bytes: Buffer): ReadLine {
  let json: unknown;
  try {
    json = JSON.parse(decoder.decode(bytes));
  } catch {
    return unreadable(line, 'The line is not valid JSON in UTF-8');
  }
  const checked = check(newSignalSchema, json);
  if ('data' in checked) return { kind: 'signal', line, input: checked.data };
  const { details } = checked;
  return { kind: 'unreadable', line, message: problemText(details), details: details.slice(0, maxDetails) };
}

function unreadable(line: number, message: string): ReadLine {
  return { kind: 'unreadable', line, message, details: [] };
}
