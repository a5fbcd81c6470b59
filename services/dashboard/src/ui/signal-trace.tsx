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
      <p className={styles.read}>{pointedAt && readingOf(pointedAt, entry)}</p>
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
          {pointedAt && <path className={styles.pointed} d={`M${trace.x(pointedAt.at)} 0v${inner.height}`} />}
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
        <span>{shortTime(first, last - first)}</span>
        <span>{shortTime(last, last - first)}</span>
      </p>
    </div>
  );
}

function readingOf({ at, value }: Observed, entry: Observed): string {
  return `${exactTime(new Date(at).toISOString())} · ${usd(value)} · ${(value / entry.value).toFixed(2)}×`;
}
