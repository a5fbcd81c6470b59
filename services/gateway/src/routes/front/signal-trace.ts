import type { SignalStatus } from '@sigcast/contracts';
import { bucketMs, type Traced } from '@sigcast/look';
import type { TracedSignal } from '../../domain/traced-signal.ts';
import { capital, change, duration, minute, typeWord, usd } from '../figures.ts';
import { type Flag, traceImage } from './trace-image.ts';

/** How much of the time after the last thing that happened is shown, as a part of the time up to it. */
const shownAfter = 0.2;
/** The picture at three widths of the window; the page's style chooses one of them. */
const sizes = [
  ['narrow', { width: 320, height: 260 }],
  ['medium', { width: 680, height: 320 }],
  ['wide', { width: 1_072, height: 360 }],
] as const;

/** A signal whose outcome is decided: what it is, its trace, and what the parts of the trace mean. */
export function signalTrace({ signal, history, entries }: TracedSignal): string {
  const { id, type, created_at, performance, outcome, realizable } = signal;
  const by = outcome?.rule === null ? ', set by its producer' : '';
  const facts = [
    ['Signal', `<code>${id}</code>`],
    ['Type', typeWord(type)],
    ['Published', minute(created_at)],
    ['Outcome', `${capital(performance.status)}${by}`],
    ['Public log', entries.map((at) => `<a href="/log/proof/${at}">entry ${at}</a>`).join(', ')],
  ].filter(([, value]) => value !== '');
  const shown = facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  const flags = history.changes.map(({ at, status }) => ({ at: Date.parse(at), status }));
  return `<dl class="facts">${shown.join('')}</dl>
${drawn(tracedOf({ signal, history }), flags, orderOf(realizable))}`;
}

/** The trace of a signal that never was, for a system that has none yet. */
export function exampleTrace(): string {
  const [hours, entry] = [3_600_000, 100_000];
  const course = [
    1, 1.12, 0.94, 0.82, 1.05, 1.31, 1.74, 2.1, 2.35, 2.08, 2.62, 2.8, 2.31, 2.44, 1.92, 1.7, 1.5,
  ];
  const points = course.flatMap((multiple, at) =>
    [0, 0.2, 0.4, 0.6, 0.8].map((part, step) => {
      const between = multiple + part * ((course[at + 1] ?? multiple) - multiple);
      return {
        at: (at + part) * hours,
        value: entry * (step === 0 ? multiple : between * (1 + Math.sin(at * 5 + step * 2) / 25)),
      };
    }),
  );
  const traced = {
    entry: { at: 0, value: entry },
    peak: points.reduce((highest, point) => (point.value > highest.value ? point : highest)),
    points,
    held: { from: hours / 30, until: 8 * hours },
  };
  return drawn(
    traced,
    [{ at: 7.5 * hours, status: 'winner' }],
    '+92.0% after costs; reached its target after 7.8 h',
  );
}

/** A trace in each size, and below it what its parts mean. */
function drawn(
  traced: Omit<Traced, 'changes'>,
  changes: readonly { readonly at: number; readonly status: SignalStatus }[],
  order: string,
): string {
  const { entry, peak } = traced;
  const flags = changes.map(
    ({ at, status }): Flag => ({ at, word: capital(status), tone: status === 'winner' ? 'gain' : 'loss' }),
  );
  const peaked = change((peak.value / entry.value - 1) * 100);
  const peakedAt =
    peak.value > entry.value ? `${peaked} after ${duration(peak.at - entry.at)}` : 'never above the entry';
  const outcome = flags.map(({ at, word }) => `${word} after ${duration(at - entry.at)}`).join(', ');
  const legend = [
    ['line', 'Market cap', `multiple of the ${usd(entry.value)} at entry`],
    ['peak', 'Peak', peakedAt],
    ['band', '$100 order', order],
    ['flag', 'Outcome', outcome],
  ];
  const alternative = `The market cap over time. Peak: ${peakedAt}. $100 order: ${order}. Outcome: ${outcome}.`;
  const pictures = sizes.map(([name, size]) =>
    traceImage({ traced, flags, peaked, alternative }, size, name),
  );
  const meanings = legend.map(
    ([mark, name, value]) => `<li class="${mark}"><b>${name}</b> <span>${value}</span></li>`,
  );
  return `${pictures.join('\n')}
<ul class="legend">${meanings.join('')}</ul>`;
}

function orderOf(realizable: TracedSignal['signal']['realizable']): string {
  if (!realizable) return 'none: no market to buy on within an hour';
  const { roi, entered_at, exited_at, exit } = realizable;
  const result = `${change(roi)} after costs`;
  if (exit === null || exited_at === null) return `${result}; not sold yet`;
  const sold = { target: 'reached its target', stop: 'fell to its stop', end: 'sold' };
  return `${result}; ${sold[exit]} after ${duration(Date.parse(exited_at) - Date.parse(entered_at))}`;
}

/** The signal from its entry to a little after the last thing that happened to it. */
function tracedOf({ signal, history }: Pick<TracedSignal, 'signal' | 'history'>): Omit<Traced, 'changes'> {
  const { entry, ath, buckets, changes, resolution, until } = history;
  const { realizable } = signal;
  const entryAt = Date.parse(entry.at);
  const [soldAt, peakAt] = [realizable?.exited_at && Date.parse(realizable.exited_at), Date.parse(ath.at)];
  const happenedAt = Math.max(peakAt, soldAt || 0, ...changes.map(({ at }) => Date.parse(at)));
  const shownUntil = happenedAt + (happenedAt - entryAt) * shownAfter;
  const points = buckets
    .flatMap(({ start, count, mcap }) => {
      const [from, to] = [Math.max(entryAt, Date.parse(start)), Date.parse(start) + bucketMs[resolution]];
      // Observations of a bucket are taken to be evenly spread.
      const half = (Math.min(to, Date.parse(until)) - from) / (2 * count);
      return [
        { at: from + half, value: mcap.open },
        { at: from + (2 * count - 1) * half, value: mcap.close },
      ];
    })
    .filter(({ at }) => at <= shownUntil);
  const held = realizable && { from: Date.parse(realizable.entered_at), until: soldAt || null };
  return {
    entry: { at: entryAt, value: entry.mcap },
    peak: { at: peakAt, value: ath.mcap },
    points,
    held: held ?? undefined,
  };
}
