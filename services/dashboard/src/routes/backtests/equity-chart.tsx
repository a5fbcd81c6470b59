import { useElementSize } from '@mantine/hooks';
import { pathOf } from '@sigcast/look';
import { useId, useState } from 'react';
import { count, exactTime, profit, shortTime, usd } from '../../ui/format.ts';
import { type CurvePoint, nearest, ticksOf, timeLabelsOf } from './curves.ts';
import styles from './equity-chart.module.css';

/** Pixels: the curve, the drawdown below it, what is between them, the times, and the scale at the right. */
const [curveHeight, fallHeight, between, timesHeight, scaleWidth] = [220, 72, 20, 28, 60];
/** Pixels between the labels of the axis of time, about. */
const timeEvery = 110;

/**
 * The profit over time, green above zero and red below, with the realized part as steps, and below it how far it has fallen from its
 * highest value. A second curve is dashed. The table below says the same in figures.
 */
export default function EquityChart({ curve, other }: { curve: Curve; other: Curve | undefined }) {
  const { ref, width } = useElementSize();
  const id = useId();
  const [pointedAt, setPointedAt] = useState<number>();
  const right = Math.max(1, width - scaleWidth);
  const all = [...curve, ...(other ?? [])];
  const [start, end] = rangeOf(all.map(({ at }) => at));
  const [low, high] = rangeOf([
    0,
    ...all.map((point) => point.profit),
    ...curve.map((point) => point.realized),
  ]);
  const deepest = Math.max(1, ...all.map(({ drawdown }) => drawdown));
  const fallTop = curveHeight + between;
  const x = (at: number) => tenths(end > start ? ((at - start) / (end - start)) * right : right / 2);
  const y = (value: number) => tenths(6 + ((high - value) / Math.max(1, high - low)) * (curveHeight - 12));
  const fallY = (drawdown: number) => tenths(fallTop + (drawdown / deepest) * fallHeight);
  const line = (points: Curve) => pathOf(points.map((point) => [x(point.at), y(point.profit)]));
  const fall = (points: Curve) => pathOf(points.map((point) => [x(point.at), fallY(point.drawdown)]));
  const steps = curve.map((point, n) =>
    n === 0 ? `M${x(point.at)} ${y(point.realized)}` : `H${x(point.at)}V${y(point.realized)}`,
  );
  const closed = (path: string, points: Curve, base: number) =>
    `${path}L${x(points.at(-1)?.at ?? 0)} ${base}L${x(points[0]?.at ?? 0)} ${base}Z`;
  const pointed = pointedAt === undefined ? undefined : nearest(curve, pointedAt);
  return (
    <div className={styles.chart} aria-hidden>
      <p className={styles.read}>{pointed && readingOf(pointed, other && nearest(other, pointedAt ?? 0))}</p>
      <div
        ref={ref}
        className={styles.place}
        onPointerMove={({ clientX, currentTarget }) =>
          setPointedAt(
            start + ((clientX - currentTarget.getBoundingClientRect().left) / right) * (end - start),
          )
        }
        onPointerLeave={() => setPointedAt(undefined)}
      >
        <svg role="presentation" width={width} height={fallTop + fallHeight + timesHeight}>
          {(['gain', 'loss'] as const).map((side) => (
            <clipPath key={side} id={`${id}${side}`}>
              <rect
                width={width}
                y={side === 'gain' ? 0 : y(0)}
                height={side === 'gain' ? y(0) : Math.max(0, curveHeight - y(0))}
              />
            </clipPath>
          ))}
          {ticksOf(low, high).map((value) => (
            <g key={value}>
              <path className={value === 0 ? styles.zero : styles.level} d={`M0 ${y(value)}H${right}`} />
              <text x={right + 8} y={y(value) + 4}>
                {usd(value).replace('-', '−')}
              </text>
            </g>
          ))}
          <path className={styles.realized} d={steps.join('')} />
          {other && <path className={styles.other} d={line(other)} />}
          {(['gain', 'loss'] as const).map((side) => (
            <g key={side} className={styles[side]} clipPath={`url(#${id}${side})`}>
              <path className={styles.area} d={closed(line(curve), curve, y(0))} />
              <path className={styles.line} d={line(curve)} />
            </g>
          ))}
          <text x={0} y={fallTop - 6}>
            Drawdown
          </text>
          <path className={styles.level} d={`M0 ${fallTop}H${right}`} />
          <path className={styles.level} d={`M0 ${fallTop + fallHeight}H${right}`} />
          <text x={right + 8} y={fallTop + fallHeight}>
            {usd(-deepest).replace('-', '−')}
          </text>
          <g className={styles.loss}>
            <path className={styles.area} d={closed(fall(curve), curve, fallTop)} />
            <path className={styles.line} d={fall(curve)} />
          </g>
          {other && <path className={styles.other} d={fall(other)} />}
          {timeLabelsOf(start, end, Math.max(2, right / timeEvery)).map((at) => (
            <text
              key={at}
              x={x(at)}
              y={fallTop + fallHeight + timesHeight - 6}
              textAnchor={at === start ? 'start' : at === end ? 'end' : 'middle'}
            >
              {shortTime(at, end - start)}
            </text>
          ))}
          {pointed && <path className={styles.pointed} d={`M${x(pointed.at)} 0V${fallTop + fallHeight}`} />}
        </svg>
      </div>
    </div>
  );
}

type Curve = readonly CurvePoint[];

const tenths = (pixels: number) => Math.round(pixels * 10) / 10;

function rangeOf(values: readonly number[]): [number, number] {
  return values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [values[0] ?? 0, values[0] ?? 0],
  );
}

function readingOf(point: CurvePoint, other: CurvePoint | undefined): string {
  return [
    exactTime(new Date(point.at).toISOString()),
    profit(point.profit) + (other === undefined ? '' : `, other ${profit(other.profit)}`),
    `realized ${profit(point.realized)}`,
    `drawdown ${profit(-point.drawdown)}`,
    `${count(point.open)} open`,
  ].join(' · ');
}
