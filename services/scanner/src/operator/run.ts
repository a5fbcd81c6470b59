import { type BaseContext, type Commands, type Output, runCommand, storeCommands } from '@sigcast/operator';
import { type Environment, type ProgressStream, startProgress } from '@sigcast/runtime';
import { readStoreConfig } from '../config.ts';
import { madeCollection, madeIndexes } from '../store/made-document.ts';
import { hoursCollection, hoursIndexes } from '../store/mongo-hours.ts';
import type { ScannerContext } from './command.ts';
import { recordCommand } from './record-command.ts';
import { replayCommand } from './replay-command.ts';

const commands: Commands<ScannerContext> = {
  record: recordCommand,
  replay: replayCommand,
  ...storeCommands({
    indexes: { [madeCollection]: madeIndexes, [hoursCollection]: hoursIndexes },
    readStore: readStoreConfig,
    source: import.meta.url,
  }),
};

/** Runs one of the scanner's operator commands; see `runCommand`. @returns the exit status. */
export function runOperator(
  argv: readonly string[],
  env: Environment,
  { progress, ...output }: Output & { readonly progress: ProgressStream },
): Promise<number> {
  return runCommand(commands, { argv, env }, (base) => scannerContext(base, progress), output);
}

function scannerContext({ resources }: BaseContext, stream: ProgressStream): ScannerContext {
  return {
    stopRequested: () => {
      const stop = new AbortController();
      const onSignal = () => stop.abort();
      process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
      resources.defer(() => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal));
      return stop.signal;
    },
    progress: () => startProgress({ stream, unit: 'answers', nowMs: () => performance.now() }),
  };
}
