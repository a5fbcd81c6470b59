import { useElementSize } from '@mantine/hooks';
import { type Traced, traceOf } from '@sigcast/look';
import styles from './signal-trace.module.css';

type Flag = {
  readonly at: number;
  readonly word: string;
  readonly tone: 'good' | 'bad' | 'info' | 'neutral';
};

/** Pixels: what is left of the trace for its scale, and below it for the flags. */
const [scaleWidth, axisHeight] = [52, 22];

/**
 * A signal's course: the market cap as multiples of the entry, its peak, the time for which the order of the fixed rule was held,
 * and changes of the status. What it shows is said in words and in a table beside it.
 */
export function SignalTrace(props: {
  traced: Omit<Traced, 'changes'>;
  flags: readonly Flag[];
  height?: number;
}) {
  const { traced, flags, height = 280 } = props;
  const { ref, width } = useElementSize();
  const inner = { width: Math.max(0, width - scaleWidth), height: height - axisHeight };
  const trace = traceOf({ ...traced, changes: flags.map(({ at }) => at) }, inner, 14);
  return (
    <div ref={ref} className={styles.trace} aria-hidden>
      <svg role="presentation" width={width} height={height}>
        {trace.levels.map(({ multiple, y }) => (
          <g key={multiple}>
            <line
              className={multiple === 1 ? styles.entry : styles.level}
              x1={0}
              x2={inner.width}
              y1={y}
              y2={y}
            />
            <text className={styles.scale} x={inner.width + 8} y={y + 4}>
              {multiple === 1 ? 'entry' : `${multiple >= 1 ? multiple : `1/${1 / multiple}`}×`}
            </text>
          </g>
        ))}
        {trace.band && (
          <rect
            className={styles.band}
            x={trace.band.x}
            width={trace.band.width}
            y={0}
            height={inner.height}
          />
        )}
        <path className={styles.area} d={trace.area} />
        <path className={styles.line} d={trace.line} />
        <path className={styles.peak} d={`M${trace.peak.x} ${Math.max(0, trace.peak.y - 12)}v9`} />
        <circle className={styles.end} cx={trace.end.x} cy={trace.end.y} r={3} />
        {flags.map(({ word, tone, at }, index) => {
          const x = trace.flags[index] ?? 0;
          const isRight = x > inner.width / 2;
          return (
            <g key={`${word} ${at}`} className={styles[tone]}>
              <line x1={x} x2={x} y1={inner.height - 10} y2={inner.height + 6} />
              <text x={isRight ? x - 5 : x + 5} y={height - 6} textAnchor={isRight ? 'end' : 'start'}>
                {word}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
