import type { WriteStream } from 'node:tty';

/** Takes a line for people. */
export interface Report {
  (line: string): void;
  /** Takes a line that the next one replaces. Only terminals have it. */
  fleeting?: (line: string) => void;
}

/** Writes lines to a stream. In a terminal, a fleeting line is rewritten in place. */
export function linePrinter(stream: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>): Report {
  if (!stream.isTTY) return (line) => void stream.write(`${line}\n`);
  const clear = '\r\x1b[K';
  return Object.assign((line: string) => void stream.write(`${clear}${line}\n`), {
    fleeting: (line: string) => void stream.write(`${clear}${line.slice(0, stream.columns - 1)}`),
  });
}
