import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import type { Statistics } from '@sigcast/client';
import { count } from '../../ui/format.ts';
import { keysOf, typeWords } from './signal-words.ts';

/** Signals and winners of each type as horizontal bars, so that every name has room. The table has the same in numbers. */
export default function TypeChart({ statistics }: { statistics: Statistics }) {
  const data = keysOf(typeWords).map((type) => {
    const { total, winners } = statistics.by_type[type] ?? { total: 0, winners: 0 };
    return { type: typeWords[type], winners, others: total - winners };
  });
  return (
    <div aria-hidden>
      <BarChart
        h={260}
        data={data}
        dataKey="type"
        type="stacked"
        orientation="vertical"
        withLegend
        valueFormatter={count}
        legendProps={{ itemSorter: null }}
        gridAxis="y"
        xAxisProps={{ allowDecimals: false }}
        yAxisProps={{ width: 64, interval: 0 }}
        tickLine="none"
        maxBarWidth={28}
        barProps={{ isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
        series={[
          { name: 'winners', label: 'Winners', color: 'var(--gain)' },
          { name: 'others', label: 'Others', color: 'var(--neutral)' },
        ]}
      />
    </div>
  );
}
