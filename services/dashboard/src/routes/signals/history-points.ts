import type { SignalHistory } from '@sigcast/client';
import { exactTime, usd } from '../../ui/format.ts';
import { statusWords } from './signal-words.ts';

/** A point of the chart: the last figures of a bucket, US dollars. */
export type HistoryPoint = {
  /** Unix milliseconds: the start of the bucket or of the range, whichever is later. */
  readonly at: number;
  readonly mcap: number;
  readonly liquidity: number;
};

/** The points of a history, oldest first. */
export function pointsOf({ buckets, from }: SignalHistory): HistoryPoint[] {
  const begin = Date.parse(from);
  return buckets.map(({ start, mcap, liquidity }) => ({
    at: Math.max(begin, Date.parse(start)),
    mcap: mcap.close,
    liquidity: liquidity.close,
  }));
}

/** The changes of the status in the range of the history, with their time in Unix milliseconds. */
export function changesIn({ changes, from, until }: SignalHistory) {
  const [begin, end] = [Date.parse(from), Date.parse(until)];
  return changes
    .map(({ at, status }) => ({ atMs: Date.parse(at), status }))
    .filter(({ atMs }) => atMs >= begin && atMs <= end);
}

/** The marks of the chart in words: the entry, the highest market cap and each change of the status. */
export function marksOf({ entry, ath, changes }: SignalHistory): string[] {
  return [
    `Entry: ${usd(entry.mcap)}, ${exactTime(entry.at)}`,
    `Highest: ${usd(ath.mcap)}, ${exactTime(ath.at)}`,
    ...changes.map(({ status, at, rule }) => {
      const by = rule === null ? 'said by the producer' : `decided by rule ${ruleWords(rule)}`;
      return `${statusWords[status].word}: ${exactTime(at)}, ${by}`;
    }),
  ];
}

function ruleWords(rule: string): string {
  return rule.replace('-custom', ' with this system’s own thresholds');
}
