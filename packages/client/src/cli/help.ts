import type { Command } from './command.ts';
import { exits } from './exits.ts';
import type { Option } from './values.ts';

/** Options of every command. */
export const commonOptions: Readonly<Record<string, Option>> = {
  json: { help: 'print JSON instead of a table, one document per line' },
  url: { value: '<url>', help: 'the API’s address (default: SIGCAST_URL, or the address of the stored key)' },
  help: { help: 'show this help' },
};

/** The help of all commands, or of some. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map((command) => [usageOf(command), command.summary] as const);
  return `Usage: sigcast <command> [options]

Commands:
${aligned(rows)}

Every command has --help and --json. sigcast --version prints the version.

Environment:
${aligned([
  ['SIGCAST_API_KEY', 'the API key (default: the one stored by "sigcast login")'],
  ['SIGCAST_URL', 'the API’s address, such as https://api.example.com'],
  [
    'SIGCAST_WEBHOOK_SECRET',
    'the secret that "webhooks listen" signs with (default: one made from your API key)',
  ],
  ['SIGCAST_CONFIG', 'where "sigcast login" stores the key (default: ~/.config/sigcast/config.json)'],
])}

Exit status:
${aligned([
  [String(exits.done), 'done'],
  [String(exits.failed), 'the API refused the request, or a receiver did not accept an event'],
  [String(exits.usage), 'the command or a value in it is wrong'],
  [String(exits.credentials), 'no API key, a key that is not valid, or a key file that others can read'],
  [String(exits.unreachable), 'the API did not answer'],
  [String(exits.interrupted), 'ended by Ctrl-C; everything printed is complete'],
  [String(exits.terminated), 'ended by SIGTERM, in the same way'],
])}`;
}

/** The help of one command. */
export function commandHelp(command: Command): string {
  const options = Object.entries({ ...command.options, ...commonOptions }).map(
    ([name, { value, help }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, help] as const,
  );
  const details = command.details === undefined ? '' : `\n\n${command.details}`;
  return `${command.summary}.

Usage: sigcast ${usageOf(command)} [options]

Options:
${aligned(options)}${details}`;
}

function usageOf({ name, positionals = [] }: Command): string {
  return [name, ...positionals].join(' ');
}

function aligned(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
