import '@mantine/charts/styles.layer.css';
import { AreaChart } from '@mantine/charts';
import type { BacktestResult } from '@sigcast/client';
import { profit, usd } from '../../ui/format.ts';
import { overTime } from '../../ui/over-time.tsx';

const series = [{ name: 'profit', label: 'Profit', color: 'var(--accent)' }];

/** Profit over time, green above zero and red below. The table beside says the same in numbers. */
export default function EquityChart({ equity }: { equity: BacktestResult['equity'] }) {
  const points = equity.points.map((point) => ({ at: Date.parse(point.at), profit: point.profit_usd }));
  return (
    <div aria-hidden>
      <AreaChart
        {...overTime({ points, marginMs: 1_800_000, series, valueFormatter: profit })}
        type="split"
        splitColors={['var(--gain)', 'var(--loss)']}
        yAxisProps={{ width: 64, tickFormatter: (amount: number) => usd(amount).replace('-', '−') }}
        areaProps={{ isAnimationActive: false }}
        areaChartProps={{ accessibilityLayer: false }}
        referenceLines={[{ y: 0, color: 'var(--quiet)', ifOverflow: 'extendDomain' }]}
        series={series}
      />
    </div>
  );
}
