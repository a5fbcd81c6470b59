import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Interrupts, Io } from './command.ts';
import { CliError, exits } from './exits.ts';

/** The process's own streams and signals. */
export function processIo(): Io {
  return {
    env: process.env,
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line, secret = '') => void process.stderr.write(`${line}${secret}\n`),
    readSecret,
    catchInterrupts,
  };
}

/** A line from a pipe, or from the terminal without an echo. */
async function readSecret(question: string): Promise<string> {
  const terminal = process.stdin.isTTY;
  // Where the line editor would write what is typed.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal });
  // Only now: from here on the terminal shows nothing of what is typed.
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

function catchInterrupts(): Interrupts {
  const [stop, stopNow] = [new AbortController(), new AbortController()];
  let exit: number = exits.done;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) stopNow.abort();
    exit = signal === 'SIGINT' ? exits.interrupted : exits.terminated;
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { stop: stop.signal, stopNow: stopNow.signal, exit: () => exit };
}
