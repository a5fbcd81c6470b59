import { SigcastError } from '@sigcast/contracts';
import { ConfigError, createLogger, type Environment } from '@sigcast/runtime';
import { type BaseContext, type Command, CommandFailed, type Commands, UsageError } from './command.ts';

export type Output = { readonly out: (line: string) => void; readonly err: (line: string) => void };

/**
 * Runs one operator command: `argv` is its name, or its group and its name, and the rest. With `--json` the result, or
 * `{ error: { code, message } }`, is one JSON line on standard output. Without arguments, and with `--help`, it says what
 * there is.
 *
 * @param extend gives commands what their service adds to the context.
 * @returns the exit status: 0 done, 1 could not be done, 2 called wrongly; or the one that the command gave.
 */
export async function runCommand<C>(
  commands: Commands<C>,
  { argv, env }: { readonly argv: readonly string[]; readonly env: Environment },
  extend: (base: BaseContext) => C,
  output: Output,
): Promise<number> {
  const json = argv.includes('--json');
  const resources = new AsyncDisposableStack();
  const { command, args } = findCommand(
    commands,
    argv.filter((arg) => arg !== '--json' && arg !== '--help'),
  );
  try {
    if (argv.length === 0 || argv.includes('--help')) {
      output.out(command?.usage ?? usageOf(commands));
      return 0;
    }
    if (command === undefined) throw new UsageError(usageOf(commands));
    const base = { args, env, resources, log: createLogger({ service: 'operator', level: 'silent' }) };
    const result = await command.run({ ...base, ...extend(base) });
    output.out(json ? JSON.stringify(result.data) : result.text);
    if (result.note !== undefined) output.err(result.note);
    return result.status ?? 0;
  } catch (error) {
    const { code, message, status } = explain(error);
    if (json) output.out(JSON.stringify({ error: { code, message } }));
    else output.err(status === 2 && command ? `${message}\nusage: ${command.usage}` : message);
    return status;
  } finally {
    await resources.disposeAsync();
  }
}

function findCommand<C>(
  commands: Commands<C>,
  [first = '', second = '', ...rest]: readonly string[],
): { readonly command: Command<C> | undefined; readonly args: readonly string[] } {
  const found = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (found === undefined) return { command: undefined, args: [] };
  if (isCommand(found)) return { command: found, args: second === '' ? rest : [second, ...rest] };
  return { command: Object.hasOwn(found, second) ? found[second] : undefined, args: rest };
}

function isCommand<C>(entry: Commands<C>[string]): entry is Command<C> {
  return typeof entry.usage === 'string';
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
  const lines = Object.values(commands)
    .flatMap((entry) => (isCommand(entry) ? [entry] : Object.values(entry)))
    .map(({ usage }) => usage);
  return `commands (each takes --json):\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
