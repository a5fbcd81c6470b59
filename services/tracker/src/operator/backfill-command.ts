import { signalIdSchema } from '@sigcast/contracts';
import { CommandFailed, readOptions } from '@sigcast/operator';
import { backfill } from '../domain/backfill.ts';
import type { Command } from './command.ts';

/** `backfill`: records the present state of each signal of which the tracker knows nothing, or only an earlier state. */
export const backfillCommand: Command = {
  usage: 'backfill [--after SIGNAL_ID]',
  summary:
    'Records the present state of all signals whose events the tracker has not got, while the system serves. It may be repeated. --after goes on behind a signal.',
  run: async ({ args, work }) => {
    const { after } = readOptions(args, { shape: { after: signalIdSchema.optional() } });
    let done = after;
    return work(async (deps) => {
      const advance = (signals: number, last: string | undefined) => {
        done = last;
        deps.advance(signals, last);
      };
      try {
        const { signals, recorded } = await backfill({ ...deps, advance }, after);
        return { data: { signals, recorded }, text: `${signals} signals: ${recorded} recorded` };
      } catch (error) {
        if (!(error instanceof CommandFailed) || done === undefined) throw error;
        throw new CommandFailed(error.code, `${error.message}; go on with --after ${done}`);
      }
    });
  },
};
