import { readFile } from 'node:fs/promises';
import { platform, Sigcast } from '../sigcast.ts';
import { pause } from '../wait.ts';
import type { Command, Context, Io } from './command.ts';
import { backtestCommands } from './commands/backtest.ts';
import { completionCommand } from './commands/completion.ts';
import { deliveryCommands } from './commands/deliveries.ts';
import { eventCommands } from './commands/events.ts';
import { loginCommands } from './commands/login.ts';
import { signalCommands } from './commands/signals.ts';
import { statsCommands } from './commands/stats.ts';
import { verifyCommands } from './commands/verify.ts';
import { webhookCommands } from './commands/webhooks.ts';
import { readCredentials, withoutSecrets } from './credentials.ts';
import { exits, failureOf } from './exits.ts';
import { commandHelp, commonOptions, overview } from './help.ts';
import { readValues } from './values.ts';

const apiCommands: readonly Command[] = [
  ...signalCommands,
  ...statsCommands,
  ...backtestCommands,
  ...eventCommands,
  ...webhookCommands,
  ...deliveryCommands,
  ...verifyCommands,
  ...loginCommands,
];
const commands = [...apiCommands, completionCommand(apiCommands)];

/** A pause of this many milliseconds or more is announced. */
const notedPauseMs = 5_000;

/** Runs the command that `argv` names. @returns the exit status, one of `exits`. */
export async function run(argv: readonly string[], terminal: Io): Promise<number> {
  const note: Io['note'] = (line, secret) => terminal.note(withoutSecrets(line), secret);
  const io: Io = { ...terminal, note };
  const [first = ''] = argv;
  if (first === '--version') {
    io.print(await version());
    return exits.done;
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, at) => argv[at] === word));
  if (command === undefined) return withoutCommand(argv, io);
  const rest = argv.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) {
    io.print(commandHelp(command));
    return exits.done;
  }
  try {
    return (await command.run(contextOf(command, rest, io))) ?? exits.done;
  } catch (error) {
    const { options = {}, optionOf = {} } = command;
    const nameOf = (path: string) => {
      // A wrong value of a list, such as `types.0`, has the list's option.
      const field = path.replace(/\.\d+$/, '');
      return optionOf[field] ?? (Object.hasOwn(options, field) ? `--${field}` : path);
    };
    const { message, exit } = failureOf(error, nameOf);
    io.note(`sigcast: ${message}`);
    if (exit === exits.usage) io.note(`See: sigcast ${command.name} --help`);
    return exit;
  }
}

/** Prints the help of the commands that begin with the typed words, or that there is no such command. */
function withoutCommand(argv: readonly string[], io: Io): number {
  const words = argv.filter((word) => !word.startsWith('-') && word !== 'help');
  const asked = argv.length === 0 || argv.some((word) => ['--help', '-h', 'help'].includes(word));
  const named = commands.filter(({ name }) => words.every((word, at) => name.split(' ')[at] === word));
  const [only] = named;
  if (asked && named.length > 0) {
    io.print(named.length === 1 && only ? commandHelp(only) : overview(named));
    return exits.done;
  }
  const known = named.length > 0 ? named : commands;
  io.note(`sigcast: There is no command "${argv.join(' ')}"`);
  io.note(`Commands: ${known.map(({ name }) => name).join(', ')}`);
  io.note('See: sigcast --help');
  return exits.usage;
}

function contextOf(command: Command, rest: readonly string[], io: Io): Context {
  const values = readValues(rest, { ...command.options, ...commonOptions }, command);
  const notedPause = (ms: number, signal?: AbortSignal) => {
    if (ms >= notedPauseMs) io.note(`Asking again in ${Math.ceil(ms / 1_000)} s`);
    return pause(ms, signal);
  };
  return {
    values,
    io,
    json: values.has('json'),
    show: (answer, lines) => {
      for (const line of values.has('json') ? [JSON.stringify(answer)] : lines()) io.print(line);
    },
    connect: async () => {
      const { apiKey, url } = await readCredentials(io.env, values.text('url'));
      return new Sigcast({ apiKey, baseUrl: url }, { ...platform, pause: notedPause });
    },
  };
}

async function version(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
