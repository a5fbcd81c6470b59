import { ChartTooltip, type ChartTooltipProps, type LineChartProps } from '@mantine/charts';
import { exactTime, shortTime } from './format.ts';

/** With more points than this, dots would cover the line. */
const mostDots = 30;

/** A point of a chart over time; `at` in milliseconds since 1970. */
type PointInTime = { readonly at: number };

type OverTime<P extends PointInTime> = {
  /** The oldest first. */
  readonly points: readonly P[];
  /** If there is only one point: how much time the axis shows on each side of it, in milliseconds. */
  readonly marginMs: number;
  readonly series: NonNullable<ChartTooltipProps['series']>;
  readonly valueFormatter: (value: number) => string;
};

/**
 * What charts over time have in common: the axis of time, dots and the box at the pointer. Only charts import this
 * module, because it brings the chart library with it.
 */
export function overTime<P extends PointInTime>({ points, marginMs, series, valueFormatter }: OverTime<P>) {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const domain: [number, number] = first < last ? [first, last] : [first - marginMs, last + marginMs];
  return {
    h: 280,
    data: [...points],
    dataKey: 'at',
    withDots: points.length <= mostDots,
    strokeWidth: 2,
    curveType: 'linear',
    gridAxis: 'x',
    tickLine: 'none',
    xAxisProps: {
      type: 'number',
      scale: 'time',
      domain,
      tickFormatter: (at: number) => shortTime(at, last - first),
    },
    tooltipProps: {
      // Without a label, the pointer is at no point.
      content: ({ label, payload }) =>
        typeof label === 'number' && (
          <ChartTooltip
            label={exactTime(new Date(label).toISOString())}
            payload={payload}
            series={series}
            valueFormatter={valueFormatter}
          />
        ),
    },
  } as const satisfies Partial<LineChartProps>;
}
