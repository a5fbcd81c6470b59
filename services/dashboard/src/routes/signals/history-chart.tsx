import '@mantine/charts/styles.layer.css';
import { ChartTooltip, LineChart } from '@mantine/charts';
import type { SignalHistory } from '@sigcast/contracts';
import { exactTime, shortTime, usd } from '../../ui/format.ts';
import { changesIn, pointsOf } from './history-points.ts';
import { statusWords } from './signal-words.ts';

/** With more points than this, dots would cover the line. */
const mostDots = 30;

/** Beside a point that is alone, in milliseconds. */
const marginMs = 60_000;

const statusColors = { active: 'indigo.5', winner: 'teal.6', dead: 'gray.6', rugged: 'red.6' } as const;

/** Market cap and liquidity over time. The marks and the table beside say the same in words and numbers. */
export default function HistoryChart({ history }: { history: SignalHistory }) {
  const { entry, ath } = history;
  const points = pointsOf(history);
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const series = [
    { name: 'mcap', label: 'Market cap', color: 'indigo.5' },
    { name: 'liquidity', label: 'Liquidity', color: 'gray.5', strokeDasharray: '4 4' },
  ];
  return (
    <div aria-hidden>
      <LineChart
        h={280}
        data={points}
        dataKey="at"
        withLegend
        legendProps={{ itemSorter: null }}
        withDots={points.length <= mostDots}
        strokeWidth={2}
        curveType="linear"
        valueFormatter={usd}
        gridAxis="x"
        tickLine="none"
        xAxisProps={{
          ...{
            type: 'number',
            scale: 'time',
            domain: first < last ? [first, last] : [first - marginMs, last + marginMs],
          },
          tickFormatter: (at: number) => shortTime(at, last - first),
        }}
        yAxisProps={{ width: 64 }}
        tooltipProps={{
          // Without a label there is nothing that is pointed at.
          content: ({ label, payload }) =>
            typeof label === 'number' && (
              <ChartTooltip
                label={exactTime(new Date(label).toISOString())}
                payload={payload}
                series={series}
                valueFormatter={usd}
              />
            ),
        }}
        lineProps={{ isAnimationActive: false }}
        lineChartProps={{ accessibilityLayer: false }}
        referenceLines={[
          { y: entry.mcap, label: 'Entry', color: 'gray.6', ifOverflow: 'extendDomain' },
          ...(ath.mcap > entry.mcap
            ? [{ y: ath.mcap, label: 'Highest', color: 'teal.6', ifOverflow: 'extendDomain' } as const]
            : []),
          ...changesIn(history).map(({ atMs, status }) => {
            // A point is at the start of its bucket, and the change somewhere in it.
            const x = Math.min(Math.max(atMs, first), last);
            const labelPosition = x > (first + last) / 2 ? 'insideBottomRight' : 'insideBottomLeft';
            return {
              x,
              labelPosition,
              label: statusWords[status].word,
              color: statusColors[status],
            } as const;
          }),
        ]}
        series={series}
      />
    </div>
  );
}
