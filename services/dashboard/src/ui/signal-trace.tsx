import { useElementSize } from '@mantine/hooks';
import { levelWord, type Observed, type Traced, traceOf } from '@sigcast/look';
import { useState } from 'react';
import { exactTime, shortTime, usd } from './format.ts';
import styles from './signal-trace.module.css';
import type { Tone } from './tone.ts';

/** A change of the status, at its instant in Unix milliseconds. */
type Flag = { readonly at: number; readonly word: string; readonly tone: Tone };

/** Pixels: what is left of the trace for its scale, and below it for the flags. */
const [scaleWidth, axisHeight] = [52, 22];

/**
 * A signal's course: the market cap as multiples of the entry, its peak, the time for which the order of the fixed rule was held,
 * and changes of the status. What it shows is also said in words and in a table.
 */
export function SignalTrace(props: {
  traced: Omit<Traced, 'changes'>;
  flags: readonly Flag[];
  height?: number;
}) {
  const { traced, flags } = props;
  const { ref, width } = useElementSize();
  // On a phone, what is below is to be in view, too.
  const { height = width > 0 && width < 480 ? 220 : 300 } = props;
  const [pointedAt, setPointedAt] = useState<Observed>();
  const inner = { width: Math.max(0, width - scaleWidth), height: height - axisHeight };
  const trace = traceOf({ ...traced, changes: flags.map(({ at }) => at) }, inner, 14);
  const { entry, points } = traced;
  const first = Math.max(entry.at, traced.from ?? entry.at);
  const last = Math.max(first, points.at(-1)?.at ?? first);
  return (
    <div className={styles.trace} aria-hidden>
      <div
        ref={ref}
        onPointerMove={({ clientX, currentTarget }) => {
          const at = clientX - currentTarget.getBoundingClientRect().left;
          const distance = (point: Observed) => Math.abs(trace.x(point.at) - at);
          setPointedAt(
            points.reduce(
              (near, point) => (distance(point) < distance(near) ? point : near),
              points[0] ?? entry,
            ),
          );
        }}
        onPointerLeave={() => setPointedAt(undefined)}
      >
        <svg role="presentation" width={width} height={height}>
          {trace.band && (
            <rect
              className={styles.band}
              x={trace.band.x}
              width={trace.band.width}
              y={0}
              height={inner.height}
            />
          )}
          {trace.levels.map(({ multiple, y }) => (
            <g key={multiple}>
              <path className={multiple === 1 ? styles.entry : styles.level} d={`M0 ${y}H${inner.width}`} />
              <text className={styles.scale} x={inner.width + 8} y={y + 4}>
                {levelWord(multiple)}
              </text>
            </g>
          ))}
          <path className={styles.area} d={trace.area} />
          <path className={styles.line} d={trace.line} />
          <path className={styles.peak} d={`M${trace.peak.x} ${Math.max(0, trace.peak.y - 12)}v9`} />
          <circle className={styles.end} cx={trace.end.x} cy={trace.end.y} r={3} />
          {pointedAt && (
            <Reading
              lines={[figureOf(pointedAt, entry), exactTime(new Date(pointedAt.at).toISOString())]}
              x={trace.x(pointedAt.at)}
              y={trace.y(pointedAt.value)}
              within={inner}
            />
          )}
          {flags.map(({ word, tone, at }, index) => {
            const x = trace.flags[index] ?? 0;
            const isRight = x > inner.width / 2;
            return (
              <g key={`${word} ${at}`} className={styles[tone]}>
                <path d={`M${x} ${inner.height - 10}v16`} />
                <text x={isRight ? x - 5 : x + 5} y={height - 6} textAnchor={isRight ? 'end' : 'start'}>
                  {word}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
      <p className={styles.times}>
        {timesIn(first, last, width < 480 ? 3 : 5).map((time, at) => (
          // Two of a short course may be the same.
          <span key={at}>{time}</span>
        ))}
      </p>
    </div>
  );
}

/** Instants at equal distances; of a course that is over within minutes, only the first and the last. */
function timesIn(first: number, last: number, most: number): string[] {
  const spanMs = last - first;
  const steps = spanMs < most * 60_000 ? 1 : most - 1;
  return Array.from({ length: steps + 1 }, (_, at) => shortTime(first + (spanMs * at) / steps, spanMs));
}

function figureOf({ value }: Observed, entry: Observed): string {
  return `${usd(value)} · ${(value / entry.value).toFixed(2)}×`;
}

/** Pixels: as wide as the longest reading, and from its first line to the second. */
const [readingWidth, lineHeight] = [190, 16];

/** What is pointed at, beside its place on the line. */
function Reading(props: {
  lines: readonly string[];
  x: number;
  y: number;
  within: { width: number; height: number };
}) {
  const { lines, x, y, within } = props;
  const left = Math.max(0, x + 8 + readingWidth > within.width ? x - 8 - readingWidth : x + 8);
  // Above the line, or below it where there is no room.
  const top = y < 3 * lineHeight ? y + 2 * lineHeight : y - 2 * lineHeight;
  return (
    <g className={styles.pointed}>
      <path d={`M${x} 0v${within.height}`} />
      <circle cx={x} cy={y} r={3} />
      {lines.map((line, at) => (
        <text key={line} x={left} y={top + at * lineHeight}>
          {line}
        </text>
      ))}
    </g>
  );
}
