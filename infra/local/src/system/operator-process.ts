import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { nodeEnvironment } from '../node-environment.ts';
import type { OperatorAnswer, OperatorRequest } from './operator-child.ts';

type Settings = Readonly<Record<string, string>>;

/** How long the child waits for a further command, in milliseconds. It takes more memory than any service. */
const idleMs = 10_000;

/**
 * Runs operator commands of the gateway in one child process. The first command starts it: a process takes a second of the
 * processor's time to start, most commands a tenth of that. The child ends with this process, and some seconds after a command.
 */
export class OperatorProcess implements Disposable {
  #child: ChildProcess | undefined;
  readonly #waiting = new Map<number, PromiseWithResolvers<OperatorAnswer>>();
  #commands = 0;
  #idle: NodeJS.Timeout | undefined;

  /**
   * Runs a command. Several may run at the same time.
   * @param env the command's settings; the child process itself gets none of them.
   * @returns what it printed as JSON.
   * @throws with the command's own message when it fails.
   */
  async run<T>(args: readonly string[], env: Settings): Promise<T> {
    const name = `operator ${args.slice(0, 2).join(' ')}`;
    const answer = await this.#ask({ id: ++this.#commands, args: [...args, '--json'], env }).catch(
      (cause: Error) => {
        throw new Error(`${name}: ${cause.message}`, { cause });
      },
    );
    if (answer.status !== 0) throw new Error(`${name}: ${problemIn(answer)}`);
    return JSON.parse(answer.out) as T;
  }

  /** The child process; undefined while there is none. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Ends the child. Running commands are rejected; a further command starts another child. */
  [Symbol.dispose](): void {
    if (!this.#child) return;
    this.#child.kill('SIGKILL');
    this.#ended(this.#child, 'disposed');
  }

  async #ask(request: OperatorRequest): Promise<OperatorAnswer> {
    clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const child = this.#child;
    const waiting = Promise.withResolvers<OperatorAnswer>();
    this.#waiting.set(request.id, waiting);
    // Only a command that runs keeps this process alive: by the child, too, whose end closes the channel before it is known.
    child.ref();
    child.channel?.ref();
    child.send(request, (error) => {
      if (error) waiting.reject(error);
    });
    try {
      return await waiting.promise;
    } finally {
      this.#waiting.delete(request.id);
      if (this.#waiting.size === 0) {
        child.unref();
        child.channel?.unref();
        this.#idle = setTimeout(() => this[Symbol.dispose](), idleMs).unref();
      }
    }
  }

  #start(): ChildProcess {
    const child = fork(join(import.meta.dirname, 'operator-child.ts'), {
      env: nodeEnvironment({}),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('message', (answer: OperatorAnswer) => this.#waiting.get(answer.id)?.resolve(answer));
    child.once('error', (error) => this.#ended(child, error.message));
    child.once('exit', (code, signal) => this.#ended(child, signal ?? `exit code ${code}`));
    child.unref();
    return child;
  }

  #ended(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    for (const { reject } of this.#waiting.values()) reject(new Error(`its process ended (${how})`));
  }
}

/** The command's own message, from its JSON output or else from its standard error. */
function problemIn({ out, err, status }: OperatorAnswer): string {
  try {
    return (JSON.parse(out) as { error: { message: string } }).error.message;
  } catch {
    return err || `exit status ${status}`;
  }
}
