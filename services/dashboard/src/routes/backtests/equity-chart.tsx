import '@mantine/charts/styles.layer.css';
import { AreaChart, ChartTooltip } from '@mantine/charts';
import type { BacktestResult } from '@sigcast/contracts';
import { exactTime, profit, shortTime, usd } from '../../ui/format.ts';

/** With more points than this, dots would cover the line. */
const mostDots = 30;

/** Beside a point that is alone, in milliseconds. */
const marginMs = 1_800_000;

/** Profit over time, green above zero and red below. The table beside says the same in numbers. */
export default function EquityChart({ equity }: { equity: BacktestResult['equity'] }) {
  const points = equity.points.map((point) => ({ at: Date.parse(point.at), profit: point.profit_usd }));
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const series = [{ name: 'profit', label: 'Profit', color: 'indigo.5' }];
  return (
    <div aria-hidden>
      <AreaChart
        h={280}
        data={points}
        dataKey="at"
        type="split"
        splitColors={['teal.6', 'red.6']}
        withDots={points.length <= mostDots}
        strokeWidth={2}
        curveType="linear"
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
        yAxisProps={{ width: 64, tickFormatter: (amount: number) => usd(amount).replace('-', '−') }}
        tooltipProps={{
          // Without a label there is nothing that is pointed at.
          content: ({ label, payload }) =>
            typeof label === 'number' && (
              <ChartTooltip
                label={exactTime(new Date(label).toISOString())}
                payload={payload}
                series={series}
                valueFormatter={profit}
              />
            ),
        }}
        areaProps={{ isAnimationActive: false }}
        areaChartProps={{ accessibilityLayer: false }}
        referenceLines={[{ y: 0, color: 'gray.6', ifOverflow: 'extendDomain' }]}
        series={series}
      />
    </div>
  );
}
