import { SigcastError } from '@sigcast/contracts';
import { ConfigError, createLogger, type Environment } from '@sigcast/runtime';
import { type BaseContext, type Command, CommandFailed, type Commands, UsageError } from './command.ts';
import { type CommandText, commandHelp, commandsOf, isCommand, programHelp } from './help.ts';

/** Where a command prints: results to `out`, notes and errors to `err`. */
export type Output = { readonly out: (line: string) => void; readonly err: (line: string) => void };

/** The output of a program, with the stream where it shows its progress. */
export const processOutput = {
  out: (line: string) => void process.stdout.write(`${line}\n`),
  err: (line: string) => void process.stderr.write(`${line}\n`),
  progress: process.stderr,
} satisfies Output & { progress: unknown };

/**
 * Runs one operator command. `argv` is the command's name, or its group and its name, followed by its arguments. With
 * `--json` the result, or `{ error: { code, message } }`, is one JSON line on standard output. Without arguments, and with
 * `--help`, it prints help.
 *
 * @param extend adds the service's part to the context of its commands.
 * @returns the exit status: 0 done, 1 could not be done, 2 called wrongly; or the status of the command's result.
 */
export async function runCommand<C>(
  commands: Commands<C>,
  { argv, env }: { readonly argv: readonly string[]; readonly env: Environment },
  extend: (base: BaseContext) => C,
  output: Output,
): Promise<number> {
  const json = argv.includes('--json');
  const resources = new AsyncDisposableStack();
  const words = argv.filter((arg) => arg !== '--json' && arg !== '--help');
  const { command, group, args } = findCommand(commands, words);
  try {
    if (argv.length === 0 || argv.includes('--help')) {
      if (json)
        output.out(
          JSON.stringify({ commands: (command ? [command] : commandsOf(commands, group)).map(textOf) }),
        );
      else output.out(command ? commandHelp(command) : programHelp(commands, group));
      return 0;
    }
    if (command === undefined) {
      const problem =
        words.length === 1 && group ? `"${group}" needs one of these commands.` : unknown(words);
      throw new UsageError(`${problem}\n\n${programHelp(commands, group)}`);
    }
    const base = { args, env, resources, log: createLogger({ service: 'operator', level: 'silent' }) };
    const result = await command.run({ ...base, ...extend(base) });
    output.out(json ? JSON.stringify(result.data) : result.text);
    if (result.note !== undefined) output.err(result.note);
    return result.status ?? 0;
  } catch (error) {
    const { code, message, status } = explain(error);
    if (json) output.out(JSON.stringify({ error: { code, message } }));
    else output.err(status === 2 && command ? `${message}\nUsage: ${command.usage}` : message);
    return status;
  } finally {
    await resources.disposeAsync();
  }
}

const textOf = ({ usage, summary }: CommandText): CommandText => ({ usage, summary });

function unknown(words: readonly string[]): string {
  return words.length === 0 ? 'A command is missing.' : `There is no command "${words.join(' ')}".`;
}

type Found<C> = {
  readonly command: Command<C> | undefined;
  /** The group that the first word names, even if the group lacks the command. */
  readonly group: string | undefined;
  readonly args: readonly string[];
};

function findCommand<C>(
  commands: Commands<C>,
  [first = '', second = '', ...rest]: readonly string[],
): Found<C> {
  const found = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (found === undefined) return { command: undefined, group: undefined, args: [] };
  if (isCommand(found)) {
    return { command: found, group: undefined, args: second === '' ? rest : [second, ...rest] };
  }
  return { command: Object.hasOwn(found, second) ? found[second] : undefined, group: first, args: rest };
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
