import { SigcastError } from '@sigcast/contracts';
import { ConfigError, createLogger, type Environment } from '@sigcast/runtime';
import { type BaseContext, type Command, CommandFailed, type Commands, UsageError } from './command.ts';

export type Output = { readonly out: (line: string) => void; readonly err: (line: string) => void };

/**
 * Runs one operator command: `argv` is its group, its name, and the rest. With `--json` the result, or
 * `{ error: { code, message } }`, is one JSON line on standard output.
 *
 * @param extend gives commands what their service adds to the context.
 * @returns the exit status: 0 done, 1 could not be done, 2 called wrongly.
 */
export async function runCommand<C>(
  commands: Commands<C>,
  { argv, env }: { readonly argv: readonly string[]; readonly env: Environment },
  extend: (base: BaseContext) => C,
  output: Output,
): Promise<number> {
  const json = argv.includes('--json');
  const [group = '', name = '', ...args] = argv.filter((arg) => arg !== '--json');
  const resources = new AsyncDisposableStack();
  const command = findCommand(commands, group, name);
  try {
    if (command === undefined) throw new UsageError(usageOf(commands));
    const base = { args, env, resources, log: createLogger({ service: 'operator', level: 'silent' }) };
    const result = await command.run({ ...base, ...extend(base) });
    output.out(json ? JSON.stringify(result.data) : result.text);
    if (result.note !== undefined) output.err(result.note);
    return 0;
  } catch (error) {
    const { code, message, status } = explain(error);
    if (json) output.out(JSON.stringify({ error: { code, message } }));
    else output.err(status === 2 && command ? `${message}\nusage: ${command.usage}` : message);
    return status;
  } finally {
    await resources.disposeAsync();
  }
}

function findCommand<C>(commands: Commands<C>, group: string, name: string): Command<C> | undefined {
  if (!Object.hasOwn(commands, group)) return undefined;
  const names = commands[group];
  return names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
}

function explain(error: unknown): { code: string; message: string; status: 1 | 2 } {
  if (error instanceof CommandFailed) return { code: error.code, message: error.message, status: 1 };
  if (error instanceof UsageError) return { code: 'usage', message: error.message, status: 2 };
  if (error instanceof ConfigError) return { code: 'settings', message: error.message, status: 2 };
  if (error instanceof SigcastError) {
    return { code: error.code.toLowerCase(), message: error.message, status: 1 };
  }
  const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  return { code: 'failed', message, status: 1 };
}

function usageOf<C>(commands: Commands<C>): string {
  const lines = Object.values(commands).flatMap((names) =>
    Object.values(names).map((command) => command.usage),
  );
  return `commands (each takes --json):\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
