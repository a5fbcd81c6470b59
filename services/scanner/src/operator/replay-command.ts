import { CommandFailed, readOptions } from '@sigcast/operator';
import { reasonOf } from '@sigcast/runtime';
import { z } from 'zod';
import { type Replayed, type ReplayedSignal, replay } from '../recording/replay.ts';
import type { Command } from './command.ts';
import { rulesOf } from './rules-file.ts';

/** As the scanner's settings have it by default. */
const pace = { coolDownMs: 24 * 3_600_000, againAfterMs: 300_000 };

/** `replay`: the signals that rules make of a recording, and what became of them. */
export const replayCommand: Command = {
  usage: 'replay FILE [--rules FILE]',
  summary:
    'Runs the rules over a recording, without network and stores. Prints the signals that they make, the outcome of each by the tracker’s rules, and how many tokens each reason refused. --rules names a file with thresholds, as JSON; what is absent has its published value.',
  run: async ({ args }) => {
    const { file, rules } = readOptions(args, {
      positionals: ['file'],
      shape: { file: z.string().min(1), rules: z.string().min(1).optional() },
    });
    const byRules = await rulesOf(rules);
    const replayed = await replay({ file, ...byRules, ...pace }).catch((error: unknown) => {
      throw new CommandFailed('not_read', `${file} can't be read: ${reasonOf(error)}`);
    });
    const note = noteOf(replayed);
    return { data: replayed, text: textOf(replayed), ...(note && { note }) };
  },
};

function textOf({ rule, from, to, answers, tokens, signals, refusals }: Replayed): string {
  const refused = Object.entries(refusals).toSorted(([, one], [, other]) => other - one);
  return [
    `${from ?? '-'} to ${to ?? '-'}: ${answers} answers, ${tokens} tokens`,
    '',
    `${signals.length} signals by ${rule}`,
    ...signals.map(signalLine),
    '',
    'Outcomes by the tracker’s rules v1',
    ...outcomeLines(signals),
    '',
    'Tokens refused, for one type at least',
    ...refused.map(([reason, count]) => `  ${reason.padEnd(16)} ${count}`),
  ].join('\n');
}

function signalLine({ type, token, metrics, origin, outcome }: ReplayedSignal): string {
  const figures = `mcap ${metrics.mcap_entry}, liquidity ${metrics.liquidity}`;
  const { status, decided_at, roi } = outcome;
  const when = decided_at === null ? '' : ` at ${decided_at}`;
  const result = roi === null ? 'not observed again' : `${status}${when}, ${roi} %`;
  return `  ${origin?.observed_at}  ${type.padEnd(7)}  ${token.chain}  ${token.contract}  ${token.symbol}  ${figures}: ${result}`;
}

function outcomeLines(signals: readonly ReplayedSignal[]): readonly string[] {
  return [...Map.groupBy(signals, ({ type }) => type)].map(([type, own]) => {
    const counts = [...Map.groupBy(own, ({ outcome }) => outcome.status)];
    return `  ${type.padEnd(7)}  ${counts.map(([status, all]) => `${all.length} ${status}`).join(', ')}`;
  });
}

function noteOf({ bad_lines, unrecorded }: Replayed): string {
  const bad = bad_lines.map(({ line, problem }) => `line ${line} is left out: ${problem}`);
  const unknown =
    unrecorded === 0
      ? []
      : [`holders and risks of ${unrecorded} tokens were not recorded: they count as unknown`];
  return [...bad, ...unknown].join('\n');
}
