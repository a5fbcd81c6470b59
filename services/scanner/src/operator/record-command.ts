import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed, readOptions, wholeNumber } from '@sigcast/operator';
import { connectRedis, redisFrom } from '@sigcast/redis';
import { reasonOf } from '@sigcast/runtime';
import { z } from 'zod';
import { readRecordConfig, readRules } from '../config.ts';
import { startRecording } from '../recording/record.ts';
import { recordedSource } from '../recording/recorded-answer.ts';
import { connectSources } from '../sources/connect-sources.ts';
import type { Command } from './command.ts';
import { rulesOf } from './rules-file.ts';

/** How long the command waits for Redis, in milliseconds. */
const redisTimeoutMs = 5_000;

/** `record`: writes what the sources answer to a file, for some time. */
export const recordCommand: Command = {
  usage: 'record --minutes N --out FILE [--rules FILE]',
  summary:
    'Writes the answers of the sources to a new file, within their limits, until the time is over or Ctrl-C. Makes no signals. --rules names thresholds in place of SCANNER_RULES: looser ones ask for the risks of more tokens.',
  run: async ({ args, env, log, stopRequested, progress }) => {
    const { minutes, out, rules } = readOptions(args, {
      shape: {
        minutes: wholeNumber(1, 100_000),
        out: z.string().min(1),
        rules: z.string().min(1).optional(),
      },
    });
    const config = readRecordConfig(env);
    const byRules = rules === undefined ? readRules(config) : await rulesOf(rules);
    const stopping = stopRequested();
    const shown = progress();
    let answers = 0;
    {
      await using resources = new AsyncDisposableStack();
      resources.defer(() => shown.end());
      const redis = connectRedis({ ...redisFrom(config), timeoutMs: redisTimeoutMs }, log, resources);
      await once(redis, 'ready', { signal: AbortSignal.timeout(redisTimeoutMs) }).catch(() => {
        throw new CommandFailed(
          'redis_unavailable',
          'Redis, which holds the limits of the sources, does not answer',
        );
      });
      const file = createWriteStream(out, { flags: 'wx' });
      await once(file, 'open').catch((error: unknown) => {
        throw new CommandFailed('not_written', `${out} can't be made: ${reasonOf(error)}`);
      });
      resources.defer(async () => {
        file.end();
        await once(file, 'close');
      });
      const write = (line: string) => {
        file.write(`${line}\n`);
        answers += 1;
        shown.advance(1);
      };
      const sources = connectSources(
        config,
        {
          redis,
          answered: () => undefined,
          wrap: (name, source) => recordedSource(name, source, { write, now: () => new Date() }),
        },
        resources,
      );
      if (sources === undefined)
        throw new CommandFailed(
          'no_source',
          'there is nothing to record: SCANNER_DEXSCREENER_URL is not set',
        );
      const chains = new Set(config.SCANNER_CHAINS.split(','));
      startRecording(sources, { ...byRules, chains, everyMs: config.SCANNER_LISTS_MS, log }, resources);
      const failed = once(file, 'error').then(([error]) => {
        throw new CommandFailed('not_written', `${out} can't be written: ${reasonOf(error)}`);
      });
      failed.catch(() => undefined);
      const over = sleep(minutes * 60_000, undefined, { signal: stopping }).catch(() => undefined);
      await Promise.race([over, failed]);
    }
    return { data: { file: out, answers }, text: `${out}: ${answers} answers` };
  },
};
