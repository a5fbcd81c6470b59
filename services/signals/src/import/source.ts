import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { SignalType } from '@sigcast/contracts';
import { mapPair, pairsOf } from './dexscreener.ts';
import { type FileFormat, ImportProblem } from './options.ts';

/** An entry of the file that can't become a signal; `number` counts lines or pairs from 1. */
type Unusable = { readonly number: number; readonly reason: string };

/** A file as a stream of NDJSON to send. */
type ImportSource = {
  readonly format: FileFormat;
  /** What a line of the stream stands for in the file. */
  readonly unit: 'line' | 'pair';
  /** SHA-256 of the file, in hex. */
  readonly fingerprint: string;
  readonly bytes: number;
  readonly unusable: readonly Unusable[];
  /** False when there is nothing to send. */
  readonly hasLines: boolean;
  readonly lines: () => AsyncIterable<Buffer>;
  /** Length of all lines together. */
  readonly lineBytes: number;
};

/** A recorded answer has at most a few hundred pairs. A larger file is taken for NDJSON without parsing it whole. */
const maxAnswerBytes = 32 * 1024 * 1024;

/** Opens a file. @throws {ImportProblem} when the file can't be read, or does not have the given format. */
export async function openSource(
  file: string,
  settings: { readonly format: FileFormat | undefined; readonly type: SignalType; readonly premium: boolean },
  now: Date,
): Promise<ImportSource> {
  try {
    const { size, mtime } = await stat(file);
    const pairs = settings.format === 'ndjson' ? undefined : await readPairs(file, size);
    if (settings.format === 'dexscreener' && !pairs) {
      throw new ImportProblem(`${file} is not a recorded DexScreener answer`);
    }
    const common = { fingerprint: await sha256(file), bytes: size };
    if (!pairs) {
      return {
        ...common,
        format: 'ndjson',
        unit: 'line',
        unusable: [],
        hasLines: size > 0,
        lines: () => createReadStream(file),
        lineBytes: size,
      };
    }
    const recordedAt = mtime < now ? mtime : now;
    return { ...common, ...pairLines(pairs, { ...settings, recordedAt }) };
  } catch (cause) {
    if (cause instanceof ImportProblem) throw cause;
    throw new ImportProblem(`${file} can't be read: ${(cause as Error).message}`, { cause });
  }
}

function pairLines(pairs: readonly unknown[], settings: Parameters<typeof mapPair>[1]) {
  const unusable: Unusable[] = [];
  // An unusable pair becomes a blank line, so that the service's line numbers are the numbers of pairs.
  const lines = pairs.map((pair, index) => {
    const mapped = mapPair(pair, settings);
    if (mapped.kind === 'signal') return Buffer.from(`${JSON.stringify(mapped.signal)}\n`);
    unusable.push({ number: index + 1, reason: mapped.reasons.join('; ') });
    return Buffer.from('\n');
  });
  return {
    format: 'dexscreener',
    unit: 'pair',
    unusable,
    hasLines: unusable.length < pairs.length,
    lines: async function* () {
      yield* lines;
    },
    lineBytes: lines.reduce((bytes, line) => bytes + line.length, 0),
  } as const;
}

/** Reads the pairs of a recorded answer. @returns undefined when the file is none. */
async function readPairs(file: string, bytes: number): Promise<readonly unknown[] | undefined> {
  if (bytes > maxAnswerBytes) return undefined;
  const text = await readFile(file, 'utf8');
  try {
    return pairsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
