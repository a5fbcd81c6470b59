import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

type Environment = Readonly<Record<string, string>>;

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** Starts `sigcast` as a process of its own, with `env` besides the environment of this process. */
export function startSigcast(args: readonly string[], env: Environment) {
  return start(process.execPath, [main, ...args], env);
}

/** Starts `sigcast` at a terminal of its own. `out` is what the terminal shows. */
export function startAtTerminal(args: string, env: Environment) {
  return start('script', ['-qec', `"${process.execPath}" "${main}" ${args}`, '/dev/null'], env);
}

/** `describe` where `script` is that of util-linux, which gives a command a terminal. */
export const describeWithTerminal = process.platform === 'linux' ? describe : describe.skip;

function start(program: string, args: readonly string[], env: Environment) {
  const child = spawn(program, args, { env: { ...process.env, ...env } });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return {
    child,
    type: (text: string) => child.stdin.write(text),
    out: () => out,
    err: () => err,
    /** The exit code; null when a signal ended the process. */
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}
