import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.ts';

/** A service that runs as a separate process. */
export type ServiceProcess = {
  readonly pid: number;
  /** Everything that it has written to standard output and standard error. */
  output(): string;
  /** Sends a signal and resolves when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** The exit code, once the process has ended; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Starts `node entry args…` with only `env`, PATH and NODE_COMPILE_CACHE. It stops without a delay on SIGTERM, and
 * ends with the test process.
 */
export function spawnService(
  entry: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): ServiceProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [entry, ...args], {
    env: { PATH, NODE_COMPILE_CACHE, SHUTDOWN_DELAY_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const endWithParent = () => child.kill('SIGKILL');
  process.once('exit', endWithParent);
  void exited.then(() => process.off('exit', endWithParent));
  return {
    pid: child.pid ?? -1,
    output: () => chunks.join(''),
    kill: (signal) => end(child, signal, exited),
    exited,
    [Symbol.asyncDispose]: () => end(child, 'SIGKILL', exited),
  };
}

/** A process takes a second to start, and seconds on a busy machine. */
const longestStartMs = 60_000;

/**
 * The address that a service writes to its log when it serves requests (`listening`) or its metrics. Waits for that line.
 * @throws with the whole output, when the line is not there after 60 s.
 */
export function addressOf(
  service: Pick<ServiceProcess, 'output'>,
  line: 'listening' | 'metrics' = 'listening',
): Promise<string> {
  const pattern = new RegExp(`"url":"([^"]+)","msg":"${line}"`);
  return eventually(
    () => {
      const url = pattern.exec(service.output())?.[1];
      if (url === undefined) throw new Error(`there is no line "${line}": ${service.output()}`);
      return url;
    },
    { timeoutMs: longestStartMs },
  );
}

async function end(child: ChildProcess, signal: NodeJS.Signals, exited: Promise<unknown>): Promise<void> {
  child.kill(signal);
  await exited;
}
