import { type SignalType, signalTypes } from '@sigcast/contracts';
import { localUrl } from '@sigcast/guides';
import type { RecordedLog, TrackRecord, WholeStatistics } from '../domain/record.ts';
import { capital, changeOf, count, minute, monthOf, orElse, percentOf, plural, typeWord } from './figures.ts';
import { recordLead } from './record-lead.ts';

/**
 * The record's page as Markdown, and what leads it as HTML. It has no text that a producer wrote.
 * @param publicUrl the API's address; empty where it is not known.
 */
export function recordPage({ statistics, months, log }: TrackRecord, publicUrl: string) {
  const { total_signals, winners, win_rate, as_of } = statistics;
  const [first] = months;
  const since = first === undefined ? '' : `, since ${monthOf(first.from)}`;
  const summary = `Every signal ever published here${since}: ${count(total_signals)} in all, ${count(winners)} won (${percentOf(win_rate, total_signals)}). As of ${minute(as_of)}.`;
  const markdown = `# Record

${summary}

## Peak and realizable return

The peak is the best possible return: selling at the very top. The realizable return is that of [a $100 order by a fixed rule](/docs/statistics#realizable-return), bought after the signal, net of fees and price impact.

${orElse(() => returns(statistics), unavailable)}

## By type

${orElse(() => byType(statistics), unavailable)}

## By month

A signal counts in the month (UTC) in which it was published, no matter when its outcome was decided. The current month is not over.

| Month | Signals | Won | Win rate | Mean realizable |
| - | -: | -: | -: | -: |
${rows(
  months
    .toReversed()
    .map((each) => [
      monthOf(each.from),
      count(each.total_signals),
      count(each.winners),
      percentOf(each.win_rate, each.total_signals),
      changeOf(each.realizable?.avg_roi, each.realizable?.signals),
    ]),
)}

## Verify it

${log === null ? 'This system keeps no public log.' : log === 'away' ? unavailable : verification(log, publicUrl || localUrl)}

## What is in this record, and what is not

Investment managers report by a standard (GIPS). It asks for:

- **Every signal**, from the first one on.${log === null ? '' : ' Removing one would contradict the log.'}
- **Losers and winners alike**: see above.
- **Net returns beside gross**: realizable beside peak.
- **How outcomes are decided**: [each outcome](/docs/statistics#how-outcomes-are-decided) names its rule and its observations.
${log === null ? '' : '- **Corrections in the open**: a correction is an entry of the log; nothing is removed.\n'}
Not included: an independent audit; a benchmark; dead and rugged signals by month; the returns of real buyers, which we do not know. ${log === null ? 'Without a log, nobody can verify this record.' : 'The log marks imported signals, and dates them by their import.'} Past returns are no guarantee of future returns.

## Embed it

\`/record.svg\` is an image of the main figures, \`/record.json\` has all of them. Any site may use both.
`;
  return { title: 'Record', summary, markdown, lead: recordLead(statistics, months) };
}

const unavailable = 'Unavailable right now.';

function returns({ distribution, realizable }: WholeStatistics): string {
  const { ath_roi, ath_signals } = distribution;
  const { rule, signals, avg_roi, roi, profitable } = realizable;
  const quartiles = ({ p25, median, p75 }: typeof roi, of: number) =>
    [p25, median, p75].map((percent) => changeOf(percent, of));
  return `| Return | Signals | 25th percentile | Median | 75th percentile |
| - | -: | -: | -: | -: |
${rows([
  ['Peak', count(ath_signals), ...quartiles(ath_roi, ath_signals)],
  [`Realizable (rule ${rule})`, count(signals), ...quartiles(roi, signals)],
])}

${signals === 0 ? 'No order is closed yet.' : `The mean realizable return is ${changeOf(avg_roi, signals)}: ${percentOf(profitable, signals)} of these orders made a profit. A few extreme peaks would decide a mean peak, so there is none.`}`;
}

function byType(statistics: WholeStatistics): string {
  return `| Type | Signals | Won | Dead | Rugged | Active | Median peak | Orders | Mean realizable | Profitable orders |
| - | -: | -: | -: | -: | -: | -: | -: | -: | -: |
${rows(signalTypes.map((type) => [...outcomesOf(statistics, type), ...earningsOf(statistics, type)]))}`;
}

function outcomesOf({ by_type, distribution }: WholeStatistics, type: SignalType): string[] {
  const { total = 0, winners = 0, win_rate } = by_type[type] ?? {};
  const { dead = 0, rugged = 0, active = 0 } = distribution.by_type[type]?.by_status ?? {};
  const won = `${count(winners)} (${percentOf(win_rate, total)})`;
  return [typeWord(type), count(total), won, count(dead), count(rugged), count(active)];
}

function earningsOf({ distribution, realizable }: WholeStatistics, type: SignalType): string[] {
  const { ath_roi, ath_signals } = distribution.by_type[type] ?? {};
  const { signals = 0, avg_roi, profitable } = realizable.by_type[type] ?? {};
  return [
    changeOf(ath_roi?.median, ath_signals),
    count(signals),
    changeOf(avg_roi, signals),
    percentOf(profitable, signals),
  ];
}

/** How many of the newest entries are listed. */
const listedEntries = 5;

function verification({ origin, entries, root, newest }: RecordedLog, server: string): string {
  return `Every signal and every outcome is an entry of [a public log](/docs/track-record) that nobody can change unnoticed. The log \`${origin}\` has ${plural(entries, 'entry', 'entries')} under the root \`${root}\`. Read its signed checkpoint and the proof of an entry:

\`\`\`sh
curl ${server}/log/checkpoint
${newest[0] === undefined ? '' : `curl ${server}/log/proof/${newest[0].index}\n`}\`\`\`

[A command of the clients](/docs/track-record#verify-the-log) reads all entries and recounts the signals, their outcomes and the winners, in total and by type. It does not check peaks, realizable returns or months.

| Newest entries | Kind | Logged | Download |
| - | - | - | - |
${rows(newest.slice(0, listedEntries).map(({ index, kind, known_at }) => [String(index), capital(kind), minute(known_at), `[Proof](/log/proof/${index})`]))}`;
}

function rows(cells: readonly (readonly string[])[]): string {
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
