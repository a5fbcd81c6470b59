import { SigcastError } from '@sigcast/contracts';
import { connectMongo, ensureIndexes } from '@sigcast/mongo';
import { openRollups } from '@sigcast/rollups';
import {
  ConfigError,
  createLogger,
  type Environment,
  type ProgressStream,
  startProgress,
} from '@sigcast/runtime';
import { operatorConfig } from '../config.ts';
import { factIndexes, factRollups, factsCollection } from '../store/fact-document.ts';
import { mongoFacts } from '../store/mongo-facts.ts';
import { mongoLedger } from '../store/mongo-ledger.ts';
import { rollupStatistics } from '../store/mongo-statistics.ts';
import { type Command, CommandFailed, type CommandResult } from './command.ts';
import { rebuildCommand } from './rebuild-command.ts';
import { signalsApi } from './signals-api.ts';
import { verifyCommand } from './verify-command.ts';

const commands: ReadonlyMap<string, Command> = new Map([
  ['rebuild', rebuildCommand],
  ['verify', verifyCommand],
]);

const usage = `commands (each takes --json):
  rebuild   makes the facts from the signals anew, while the system serves; may be repeated
  verify    counts all signals and tells every difference of facts and figures

settings: MONGODB_URI, MONGODB_DATABASE, SIGNALS_URL, SIGNALS_TOKEN (or SIGNALS_TOKEN_FILE; scope signals:read)`;

export type Output = {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  readonly progress: ProgressStream;
};

/**
 * Runs one operator command. With `--json` the result, or `{ error: { code, message } }`, is one JSON line on
 * standard output; progress goes to standard error.
 *
 * @returns the exit status: 0 done and equal; 1 different, or not done; 2 called wrongly; 3 not to be decided while
 * so much is being written.
 */
export async function runOperator(
  argv: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  const json = argv.includes('--json');
  const [name = '', ...others] = argv.filter((arg) => arg !== '--json');
  const command = commands.get(name);
  if (command === undefined || others.length > 0) {
    if (json) output.out(JSON.stringify({ error: { code: 'usage', message: usage } }));
    else output.err(usage);
    return 2;
  }
  try {
    const { data, text, status } = await runOn(command, env, output.progress);
    output.out(json ? JSON.stringify(data) : text);
    return status;
  } catch (error) {
    const { code, message, status } = explain(error);
    if (json) output.out(JSON.stringify({ error: { code, message } }));
    else output.err(message);
    return status;
  }
}

async function runOn(command: Command, env: Environment, stream: ProgressStream): Promise<CommandResult> {
  const config = operatorConfig(env);
  await using resources = new AsyncDisposableStack();
  const connection = await connectMongo(
    { uri: config.MONGODB_URI, database: config.MONGODB_DATABASE },
    createLogger({ service: 'stats-operator', level: 'silent' }),
    resources,
  );
  await ensureIndexes(connection, factsCollection, factIndexes);
  const rollups = openRollups(connection, factRollups);
  const progress = startProgress({ stream, unit: 'signals', nowMs: () => performance.now() });
  try {
    const result = await command({
      source: signalsApi({ url: config.SIGNALS_URL.replace(/\/+$/, ''), token: config.SIGNALS_TOKEN }),
      ledger: mongoLedger(connection),
      facts: mongoFacts(connection, rollups),
      store: rollupStatistics(rollups),
      advance: (signals) => progress.advance(signals),
    });
    if (command === rebuildCommand) await rollups.rebuild();
    return result;
  } finally {
    progress.end();
  }
}

function explain(error: unknown): { code: string; message: string; status: 1 | 2 } {
  if (error instanceof CommandFailed) return { code: error.code, message: error.message, status: 1 };
  if (error instanceof ConfigError) return { code: 'settings', message: error.message, status: 2 };
  if (error instanceof SigcastError) {
    return { code: error.code.toLowerCase(), message: error.message, status: 1 };
  }
  const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  return { code: 'failed', message, status: 1 };
}
