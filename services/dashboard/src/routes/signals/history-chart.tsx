import '@mantine/charts/styles.layer.css';
import { ChartTooltip, LineChart } from '@mantine/charts';
import type { SignalHistory } from '@sigcast/contracts';
import { exactTime, shortTime, usd } from '../../ui/format.ts';
import { pointsOf } from './history-points.ts';
import { statusWords } from './signal-words.ts';

/** With more points than this, dots would cover the line. */
const mostDots = 30;

const statusColors = { active: 'indigo.5', winner: 'teal.6', dead: 'gray.6', rugged: 'red.6' } as const;

/** Market cap and liquidity over time. The marks and the table beside say the same in words and numbers. */
export default function HistoryChart({ history }: { history: SignalHistory }) {
  const { entry, ath, changes } = history;
  const points = pointsOf(history);
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const shown = changes.filter(({ at }) => Date.parse(at) >= first && Date.parse(at) <= last);
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
        withDots={points.length <= mostDots}
        strokeWidth={2}
        curveType="linear"
        valueFormatter={usd}
        gridAxis="x"
        tickLine="none"
        xAxisProps={{
          ...{ type: 'number', scale: 'time', domain: [first, last] },
          tickFormatter: (at: number) => shortTime(at, last - first),
        }}
        yAxisProps={{ width: 64 }}
        tooltipProps={{
          content: ({ label, payload }) => (
            <ChartTooltip
              label={exactTime(new Date(Number(label)).toISOString())}
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
          ...shown.map(({ at, status }) => ({
            x: Date.parse(at),
            label: statusWords[status].word,
            color: statusColors[status],
          })),
        ]}
        series={series}
      />
    </div>
  );
}
