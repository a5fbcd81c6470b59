import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { count } from '../../ui/format.ts';
import type { UsagePoint } from './usage-points.ts';

/** Requests over time by their result. The table below has the same in numbers. */
export default function UsageChart({ points, limit }: { points: readonly UsagePoint[]; limit?: number }) {
  const highest = Math.max(...points.map((at) => at.answered + at.clientErrors + at.serverErrors));
  // The line of the limit is left out if the usage is far below: the scale would make everything else flat.
  const near = limit !== undefined && highest > limit / 3;
  return (
    <div aria-hidden>
      <BarChart
        h={220}
        data={[...points]}
        dataKey="at"
        type="stacked"
        withLegend
        valueFormatter={count}
        legendProps={{ itemSorter: null }}
        gridAxis="x"
        yAxisProps={{ allowDecimals: false }}
        tickLine="none"
        maxBarWidth={36}
        barProps={{ isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
        {...(near && { referenceLines: [{ y: limit, label: 'Daily limit', color: 'var(--loss)' }] })}
        series={[
          { name: 'answered', label: 'Answered', color: 'var(--accent)' },
          { name: 'clientErrors', label: 'Client errors', color: 'var(--peak)' },
          { name: 'serverErrors', label: 'Server errors', color: 'var(--loss)' },
          { name: 'refused', label: 'Over the limit', color: 'var(--quiet)' },
        ]}
      />
    </div>
  );
}
