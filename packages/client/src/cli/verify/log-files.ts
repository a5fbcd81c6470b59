import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pause } from '../../wait.ts';
import { readUrl } from '../credentials.ts';
import { CliError, exits } from '../exits.ts';

/** Reads a file of a log, by its path behind the log's prefix. Undefined where there is none. */
export type LogFiles = (path: string) => Promise<Buffer | undefined>;

/** How often a file is asked for that a server does not give now. */
const tries = 5;
const timeoutMs = 30_000;

/** Whether a log is at an address, and not in a folder. */
export function isAddress(place: string): boolean {
  return /^https?:/.test(place);
}

/** The files of a log at an address, or in a folder that was exported. */
export function logFiles(place: string): LogFiles {
  if (isAddress(place)) {
    const prefix = readUrl(place, '--log') ?? place;
    return (path) => fetchFile(`${prefix}/${path}`);
  }
  return async (path) => {
    try {
      return await readFile(join(place, ...path.split('/')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new CliError(exits.unreachable, `${place} can't be read: ${(error as Error).message}`);
    }
  };
}

async function fetchFile(url: string): Promise<Buffer | undefined> {
  for (let attempt = 1; ; attempt++) {
    let problem: string;
    let waitMs = 500 * 2 ** attempt;
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
      if (answer.ok) return unpacked(Buffer.from(await answer.arrayBuffer()), url);
      await answer.body?.cancel();
      if (answer.status === 404) return undefined;
      problem = `answered ${answer.status}`;
      const seconds = Number(answer.headers.get('retry-after'));
      if (seconds > 0) waitMs = Math.min(seconds, 60) * 1_000;
    } catch (error) {
      problem = (error as { cause?: Error }).cause?.message ?? (error as Error).message;
    }
    if (attempt === tries) throw new CliError(exits.unreachable, `${url}: ${problem}`);
    await pause(waitMs);
  }
}

/** A static host may store bundles compressed. A bundle never begins with these bytes: its first entry would begin with the byte 8, which is no JSON. */
function unpacked(bytes: Buffer, url: string): Buffer {
  const isPacked = url.includes('/tile/entries/') && bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
  return isPacked ? gunzipSync(bytes) : bytes;
}

/** The number of a tile as a path (C2SP tlog-tiles), and its width where it is not full. */
export function tilePath(kind: 'entries' | '0', index: number, width: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${kind}/${path}${width === 256 ? '' : `.p/${width}`}`;
}
