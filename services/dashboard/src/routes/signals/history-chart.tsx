import '@mantine/charts/styles.layer.css';
import { LineChart } from '@mantine/charts';
import type { SignalHistory } from '@sigcast/client';
import { usd } from '../../ui/format.ts';
import { overTime } from '../../ui/over-time.tsx';
import { changesIn, pointsOf } from './history-points.ts';
import { statusWords } from './signal-words.ts';

const statusColors = {
  active: 'var(--accent)',
  winner: 'var(--gain)',
  dead: 'var(--quiet)',
  rugged: 'var(--loss)',
} as const;

const series = [
  { name: 'mcap', label: 'Market cap', color: 'var(--accent)' },
  { name: 'liquidity', label: 'Liquidity', color: 'var(--quiet)', strokeDasharray: '4 4' },
];

/** Market cap and liquidity over time. The marks and the table beside say the same in words and numbers. */
export default function HistoryChart({ history }: { history: SignalHistory }) {
  const { entry, ath } = history;
  const points = pointsOf(history);
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  return (
    <div aria-hidden>
      <LineChart
        {...overTime({ points, marginMs: 60_000, series, valueFormatter: usd })}
        withLegend
        legendProps={{ itemSorter: null }}
        valueFormatter={usd}
        yAxisProps={{ width: 64 }}
        lineProps={{ isAnimationActive: false }}
        lineChartProps={{ accessibilityLayer: false }}
        referenceLines={[
          { y: entry.mcap, label: 'Entry', color: 'var(--quiet)', ifOverflow: 'extendDomain' },
          ...(ath.mcap > entry.mcap
            ? [{ y: ath.mcap, label: 'Highest', color: 'var(--gain)', ifOverflow: 'extendDomain' } as const]
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
