import type { Realizable, SignalHistory } from '@sigcast/client';
import { bucketMs, type Traced } from '@sigcast/look';
import { exactTime, usd } from '../../ui/format.ts';
import { statusWords } from './signal-words.ts';

/** What the trace shows of a history: the last market cap of each bucket, at the bucket's end. */
export function tracedOf(
  { entry, ath, buckets, resolution, from, until: end }: SignalHistory,
  realizable: Realizable | null | undefined,
): Omit<Traced, 'changes'> {
  const endOf = (start: string) => Math.min(Date.parse(end), Date.parse(start) + bucketMs[resolution]);
  const until = realizable?.exited_at ?? null;
  return {
    entry: { at: Date.parse(entry.at), value: entry.mcap },
    peak: { at: Date.parse(ath.at), value: ath.mcap },
    from: Date.parse(from),
    points: buckets.map(({ start, mcap }) => ({ at: endOf(start), value: mcap.close })),
    held: realizable
      ? { from: Date.parse(realizable.entered_at), until: until === null ? null : Date.parse(until) }
      : undefined,
  };
}

/** The changes of the status in the range of the history, with their time in Unix milliseconds. */
export function changesIn({ changes, from, until }: SignalHistory) {
  const [begin, end] = [Date.parse(from), Date.parse(until)];
  return changes
    .map(({ at, status }) => ({ at: Date.parse(at), ...statusWords[status] }))
    .filter(({ at }) => at >= begin && at <= end);
}

/** The marks of the trace in words: the entry, the highest market cap and each change of the status. */
export function marksOf({ entry, ath, changes }: SignalHistory): string[] {
  return [
    `Entry: ${usd(entry.mcap)}, ${exactTime(entry.at)}`,
    `Peak: ${usd(ath.mcap)}, ${exactTime(ath.at)}`,
    ...changes.map(({ status, at, rule }) => {
      const by = rule === null ? 'set by producer' : `decided by rule ${ruleWords(rule)}`;
      return `${statusWords[status].word}: ${exactTime(at)}, ${by}`;
    }),
  ];
}

function ruleWords(rule: string): string {
  return rule.replace('-custom', ' with this system’s own thresholds');
}
