import type { Io } from '../../src/cli/command.ts';
import { exits } from '../../src/cli/exits.ts';
import { run } from '../../src/cli/run.ts';

/** A command that runs in this process, and what it wrote so far. */
export type RunningCommand = {
  readonly printed: readonly string[];
  readonly noted: readonly string[];
  /** What a terminal was shown of its progress. */
  readonly shown: readonly string[];
  /** Ctrl-C. */
  interrupt(): void;
  /** The exit status. */
  readonly ended: Promise<number>;
};

/** Runs a command, typed as one line or as its words. `input` is what comes on standard input. */
export function runCommand(
  line: string | readonly string[],
  { env = {}, input = '' }: { env?: Readonly<Record<string, string>>; input?: string } = {},
): RunningCommand {
  const printed: string[] = [];
  const noted: string[] = [];
  const shown: string[] = [];
  const [stop, stopNow] = [new AbortController(), new AbortController()];
  const io: Io = {
    env,
    print: (text) => printed.push(text),
    printOrStop: async (text) => printed.push(text) > 0,
    note: (text, secret = '') => noted.push(`${text}${secret}`),
    progress: (text) => text && shown.push(text),
    readSecret: async () => input,
    catchInterrupts: () => ({
      stop: stop.signal,
      stopNow: stopNow.signal,
      exit: () => (stop.signal.aborted ? exits.interrupted : exits.done),
    }),
  };
  const interrupt = () => (stop.signal.aborted ? stopNow : stop).abort();
  const words = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
  return { printed, noted, shown, interrupt, ended: run(words, io) };
}

/** Runs a command to its end. */
export async function finish(...command: Parameters<typeof runCommand>) {
  const { printed, noted, ended } = runCommand(...command);
  return { exit: await ended, out: printed.join('\n'), err: noted.join('\n') };
}
