import type { Command, Commands } from './command.ts';

/** The parts of a command that help shows. */
export type CommandText = { readonly usage: string; readonly summary: string };

/** The last lines of every help text. */
const common =
  'Every command has --help, and --json, which prints one JSON line.\nExit status: 0 done, 1 not possible, 2 called wrongly.';

/** The help of a program, or of one group of its commands. */
export function programHelp<C>(commands: Commands<C>, group?: string): string {
  const listed = commandsOf(commands, group);
  return `Commands:\n${listed.map(entry).join('\n')}\n\n${common}`;
}

/** The help of one command. */
export function commandHelp({ usage, summary }: CommandText): string {
  return `Usage: ${usage}\n\n${sentences(summary).join('\n')}\n\n${common}`;
}

/** All commands of a program, or those of one group. */
export function commandsOf<C>(commands: Commands<C>, group?: string): Command<C>[] {
  return Object.entries(commands)
    .filter(([name]) => group === undefined || name === group)
    .flatMap(([, found]) => (isCommand(found) ? [found] : Object.values(found)));
}

/** Whether this is a command, not a group of commands. */
export function isCommand<C>(found: Commands<C>[string]): found is Command<C> {
  return typeof found.usage === 'string';
}

function entry({ usage, summary }: CommandText): string {
  return [`  ${usage}`, ...sentences(summary).map((sentence) => `      ${sentence}`)].join('\n');
}

/** Splits a summary into its sentences, one for each line of the help. */
function sentences(summary: string): string[] {
  return summary.split(/(?<=\.) (?=[A-Z-])/);
}
