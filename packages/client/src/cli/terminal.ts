import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Interrupts, Io } from './command.ts';
import { CliError, exits } from './exits.ts';

/** A second signal within this time, in milliseconds, is the same Ctrl-C: npx forwards it to the command, too. */
const sameSignalMs = 500;

/** The process's own streams and signals. */
export function processIo(): Io {
  // Called when the reader of the output, such as `head`, has closed it. A command that follows events ends by itself.
  let onReaderGone = (): void => process.exit(exits.done);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exit(exits.failed);
    onReaderGone();
  });
  // Standard error is closed: the command goes on.
  process.stderr.on('error', () => undefined);
  let shown = '';
  const progress = (text: string) => {
    if (process.stderr.isTTY && text !== shown) process.stderr.write(`\r\x1b[K${text}`);
    shown = text;
  };
  return {
    env: process.env,
    print: (line) => {
      progress('');
      process.stdout.write(`${line}\n`);
    },
    printOrStop: (line) =>
      new Promise((resolve) => process.stdout.write(`${line}\n`, (error) => resolve(!error))),
    note: (line, secret = '') => {
      progress('');
      process.stderr.write(`${line}${secret}\n`);
    },
    progress,
    readSecret,
    catchInterrupts: () => {
      const stop = new AbortController();
      onReaderGone = () => stop.abort();
      return catchInterrupts(stop);
    },
  };
}

/** Reads a line from a pipe, or from the terminal without an echo. */
async function readSecret(question: string): Promise<string> {
  const terminal = process.stdin.isTTY;
  // Discards what the line editor echoes.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal });
  // Prompt only now: from here on the terminal does not echo.
  if (terminal) process.stderr.write(question);
  try {
    const interrupted = once(lines, 'SIGINT').then(() => {
      throw new CliError(exits.interrupted, 'Nothing was stored');
    });
    const ended = once(lines, 'close').then(() => ['']);
    const [line] = (await Promise.race([once(lines, 'line'), interrupted, ended])) as [string];
    return line;
  } finally {
    lines.close();
    process.stdin.pause();
    if (terminal) process.stderr.write('\n');
  }
}

function catchInterrupts(stop: AbortController): Interrupts {
  const stopNow = new AbortController();
  let exit: number = exits.done;
  let firstAtMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    firstAtMs ??= performance.now();
    if (performance.now() - firstAtMs >= sameSignalMs) stopNow.abort();
    exit = signal === 'SIGINT' ? exits.interrupted : exits.terminated;
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { stop: stop.signal, stopNow: stopNow.signal, exit: () => exit };
}
