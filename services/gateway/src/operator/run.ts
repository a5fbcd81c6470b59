import { SigcastError } from '@sigcast/contracts';
import { ConfigError, createLogger, type Environment } from '@sigcast/runtime';
import { accountCommands } from './account-commands.ts';
import { type Command, CommandFailed, UsageError } from './command.ts';
import { keyCommands } from './key-commands.ts';
import { keypairCommands } from './keypair-commands.ts';
import { planCommands } from './plan-commands.ts';
import { openStore } from './store.ts';
import { tokenCommands } from './token-commands.ts';

const commands: Readonly<Record<string, Readonly<Record<string, Command>>>> = {
  account: accountCommands,
  plan: planCommands,
  key: keyCommands,
  token: tokenCommands,
  keys: keypairCommands,
};

export type Output = { readonly out: (line: string) => void; readonly err: (line: string) => void };

/**
 * Runs one operator command. With `--json` the result, or `{ error: { code, message } }`, is one JSON line on
 * standard output.
 *
 * @returns the exit status: 0 done, 1 could not be done, 2 called wrongly.
 */
export async function runOperator(
  argv: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  const json = argv.includes('--json');
  const [group = '', name = '', ...args] = argv.filter((arg) => arg !== '--json');
  const resources = new AsyncDisposableStack();
  try {
    const command = findCommand(group, name);
    if (command === undefined) throw new UsageError(usage());
    const log = createLogger({ service: 'operator', level: 'silent' });
    const result = await command.run({
      args,
      env,
      log,
      resources,
      openStore: () => openStore(env, log, resources),
    });
    output.out(json ? JSON.stringify(result.data) : result.text);
    if (result.note !== undefined) output.err(result.note);
    return 0;
  } catch (error) {
    const { code, message, status } = explain(error);
    if (json) output.out(JSON.stringify({ error: { code, message } }));
    else
      output.err(
        status === 2 && findCommand(group, name)
          ? `${message}\nusage: ${findCommand(group, name)?.usage}`
          : message,
      );
    return status;
  } finally {
    await resources.disposeAsync();
  }
}

function findCommand(group: string, name: string): Command | undefined {
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

function usage(): string {
  const lines = Object.values(commands).flatMap((names) =>
    Object.values(names).map((command) => command.usage),
  );
  return `commands (each takes --json):\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
