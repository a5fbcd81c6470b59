import { type ProgressStream, startProgress } from '@sigcast/runtime';

const lineFeed = 0x0a;

/** Passes every chunk on, and shows progress in lines and in the share of `totalBytes`. */
export async function* withProgress(
  chunks: AsyncIterable<Buffer>,
  options: {
    readonly totalBytes: number;
    readonly unit: string;
    readonly stream: ProgressStream;
    readonly nowMs: () => number;
  },
): AsyncGenerator<Buffer> {
  const { totalBytes, unit, stream, nowMs } = options;
  const progress = startProgress({ stream, unit, total: totalBytes, nowMs });
  try {
    for await (const chunk of chunks) {
      yield chunk;
      // The consumer asks for the next chunk once the service has taken this one.
      progress.advance(linesIn(chunk), chunk.length);
    }
  } finally {
    progress.end();
  }
}

function linesIn(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines++;
  return lines;
}
