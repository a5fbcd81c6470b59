import { readOptions } from '@sigcast/operator';
import { rebuild } from '../domain/rebuild.ts';
import type { Command } from './command.ts';

/** `rebuild`: corrects the facts from the signals, and counts them again. */
export const rebuildCommand: Command = {
  usage: 'rebuild',
  summary: 'Makes the statistics again from all signals, while the system serves. It may be repeated.',
  run: async ({ args, work }) => {
    readOptions(args, { shape: {} });
    return work(async (deps) => {
      const done = await rebuild(deps);
      const text = `${done.signals} signals: ${done.recorded} facts recorded, ${done.removed} removed`;
      return { data: done, text };
    });
  },
};
