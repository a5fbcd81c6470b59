import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@sigcast/testing';
import { expect } from 'vitest';

/** Starts a program. `env` is its environment besides that of this process, `input` its standard input. */
export function startProgram(
  program: string,
  args: readonly string[],
  { env, input = '' }: { readonly env: Readonly<Record<string, string>>; readonly input?: string },
) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'pipe', detached: true });
  const signalAll = (signal: NodeJS.Signals) => {
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (child.pid !== undefined && !isOver) process.kill(-child.pid, signal);
  };
  child.stdin.on('error', () => undefined).end(input);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return {
    child,
    /** Its standard output so far. */
    out: () => out,
    /** Its standard error so far. */
    err: () => err,
    /** Each line of its standard output, as JSON. */
    lines: <T>() =>
      out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as T),
    /** Waits for a text on its standard error. */
    says: (text: string) => eventually(() => expect(err).toContain(text), { timeoutMs: 30_000 }),
    /** Ctrl-C, which a terminal sends to a program and to all processes that the program has started. */
    pressCtrlC: () => signalAll('SIGINT'),
    /** Kills the program, and all processes that it has started. */
    kill: () => signalAll('SIGKILL'),
    /** The exit code, or the signal that ended the program. */
    ended: once(child, 'close').then((how) => {
      const [code, signal] = how as [number | null, string | null];
      return { code, signal };
    }),
  };
}
