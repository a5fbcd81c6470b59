import { type SignalType, signalTypes } from '@sigcast/contracts';
import type { RecordedLog, TrackRecord, WholeStatistics } from '../domain/record.ts';
import { capital, count, minute, monthOf, percentOf } from './figures.ts';
import { recordLead } from './record-lead.ts';

/** The record's page as Markdown, and what leads it as HTML. It has no text that a producer wrote. */
export function recordPage({ statistics, months, log }: TrackRecord) {
  const { total_signals, winners, win_rate, distribution, realizable, as_of } = statistics;
  const { ath_roi } = distribution;
  const [first] = months;
  const since = first === undefined ? '' : `, since ${monthOf(first.from)}`;
  const summary = `All signals that were ever published here${since}: ${count(total_signals)}, of which ${count(winners)} won (${percentOf(win_rate, total_signals)}). None is left out. As of ${minute(as_of)}.`;
  const markdown = `# Record

${summary}

## Peak and what could be earned

The peak is the best that anybody could have got, by selling at the top. Realizable is what [a small order by a fixed rule](/docs/statistics#what-could-be-earned) earned, bought after the signal and sold by the rule, net of fees and of what the order itself moves the price.

| Percent | Signals | Mean | 25% of them below | Half of them below | 25% of them above |
| - | -: | -: | -: | -: | -: |
${rows([
  [
    'Peak',
    count(distribution.ath_signals),
    '–',
    percentOf(ath_roi.p25, distribution.ath_signals),
    percentOf(ath_roi.median, distribution.ath_signals),
    percentOf(ath_roi.p75, distribution.ath_signals),
  ],
  [
    `Realizable (rule ${realizable.rule})`,
    count(realizable.signals),
    percentOf(realizable.avg_roi, realizable.signals),
    percentOf(realizable.roi.p25, realizable.signals),
    percentOf(realizable.roi.median, realizable.signals),
    percentOf(realizable.roi.p75, realizable.signals),
  ],
])}

${percentOf(realizable.profitable, realizable.signals)} of these orders earned something.

## By type

| Type | Signals | Won | Dead | Rugged | Active |
| - | -: | -: | -: | -: | -: |
${rows(signalTypes.map((type) => outcomesOf(statistics, type)))}

| Type | Peak, median | Orders | Realizable, mean | Orders that earned |
| - | -: | -: | -: | -: |
${rows(signalTypes.map((type) => earningsOf(statistics, type)))}

## By month

A signal belongs to the month (UTC) in which it was created, whenever its outcome was decided. The last month is not over.

| Month | Signals | Won | Win rate | Realizable, mean |
| - | -: | -: | -: | -: |
${rows(
  months
    .toReversed()
    .map((each) => [
      monthOf(each.from),
      count(each.total_signals),
      count(each.winners),
      percentOf(each.win_rate, each.total_signals),
      percentOf(each.realizable?.avg_roi, each.realizable?.signals),
    ]),
)}

## How to verify

${log === null ? 'This system keeps no public log.' : verification(log)}

## What a record must have, and what this one lacks

The standards of investment managers (GIPS) ask for:

- **All of it**: every signal counts, from the first one on.${log === null ? '' : ' Who removed one would contradict the log.'}
- **The dead beside the winners**: above.
- **Net beside gross**: realizable beside peak.
- **Who decided, by which rule**: [each outcome](/docs/statistics#who-decided-a-status) names its rule and its observations.
${log === null ? '' : '- **Errors are corrected in the open**: a correction is an entry of the log; nothing is removed.\n'}
It lacks: an audit by somebody who is paid for it; a benchmark beside it; dead and rugged signals by month; the figures of those who bought, because nobody tells us. ${log === null ? 'And without a log, a reason to believe it.' : 'Signals that were imported say so in the log, and are only as old there as their import.'} What was earned before does not say what will be earned.

## Show it elsewhere

\`/record.svg\` is a picture of the figures above, \`/record.json\` has all of them. Any site may embed them.
`;
  return { title: 'Record', summary, markdown, lead: recordLead(statistics) };
}

function outcomesOf({ by_type, distribution }: WholeStatistics, type: SignalType): string[] {
  const { total = 0, winners = 0, win_rate } = by_type[type] ?? {};
  const { dead = 0, rugged = 0, active = 0 } = distribution.by_type[type]?.by_status ?? {};
  const won = `${count(winners)} (${percentOf(win_rate, total)})`;
  return [capital(type), count(total), won, count(dead), count(rugged), count(active)];
}

function earningsOf({ distribution, realizable }: WholeStatistics, type: SignalType): string[] {
  const { ath_roi, ath_signals } = distribution.by_type[type] ?? {};
  const { signals = 0, avg_roi, profitable } = realizable.by_type[type] ?? {};
  const orders = [count(signals), percentOf(avg_roi, signals), percentOf(profitable, signals)];
  return [capital(type), percentOf(ath_roi?.median, ath_signals), ...orders];
}

function verification({ origin, entries, root, newest }: RecordedLog): string {
  return `Every signal and every outcome is an entry of [a public log](/docs/track-record) that can't be changed unseen. The log \`${origin}\` has ${count(entries)} entries, under the root \`${root}\`. This program reads all of them, and recomputes how many signals there are, what became of them and how many won, in all and by type; not the peaks, what could be earned, and the months:

\`\`\`text
npx --no -- sigcast verify
\`\`\`

| Newest entries | What | Known at | Proof |
| - | - | - | - |
${rows(newest.map(({ index, kind, known_at }) => [String(index), capital(kind), minute(known_at), `[${index}.tlog-proof](/log/proof/${index})`]))}`;
}

function rows(cells: readonly (readonly string[])[]): string {
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
