import { type Output, runCommand } from '@sigcast/operator';
import type { Environment } from '@sigcast/runtime';
import { accountCommands } from './account-commands.ts';
import type { Command } from './command.ts';
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

/** Runs one of the gateway's operator commands; see `runCommand`. @returns the exit status. */
export function runOperator(argv: readonly string[], env: Environment, output: Output): Promise<number> {
  return runCommand(
    commands,
    { argv, env },
    ({ log, resources }) => ({ openStore: () => openStore(env, log, resources) }),
    output,
  );
}
