import { Anchor, Code } from '@mantine/core';
import { Definition, Definitions } from './definition.tsx';

/** The figures of a backtest. */
export function BacktestDefinitions() {
  return (
    <Definitions
      title="Backtests"
      description={
        <>
          The{' '}
          <Anchor href="/docs/backtests" target="_blank" rel="noreferrer" size="sm" title="Opens a new tab">
            guide
          </Anchor>{' '}
          says how a backtest buys and sells, and what it leaves out.
        </>
      }
    >
      <Definition id="backtest-trades" name="Trades" field="trades">
        The signals that were bought. A signal is not bought if its figures did not pass the filters (
        <Code>not_bought.filtered</Code>), if no figures with liquidity became known in the hour after the
        delay, or if its token was known as dead or rugged (<Code>not_bought.no_entry</Code>).
      </Definition>
      <Definition id="backtest-mean" name="Mean result" field="avg_roi">
        The mean of the results of all trades, in percent, rounded to two decimals. A result is{' '}
        <Code>profit ÷ size × 100</Code>. 0 if there are no trades.
      </Definition>
      <Definition id="backtest-profit" name="Profit" field="profit_usd">
        What all trades together earned, in US dollars, after the fee and the price impact of each purchase
        and each sale. <em>Realized</em> (<Code>realized_usd</Code>) is what sold trades earned.{' '}
        <em>Still held</em> is the rest: a position that is not sold counts as if sold with the newest figures
        known at <em>As of</em>.
      </Definition>
      <Definition id="backtest-profitable" name="Profitable" field="profitable">
        The share of the trades with a result above 0.
      </Definition>
      <Definition id="backtest-percentiles" name="Percentiles" field="roi">
        Results of the trades, from the lowest to the highest. One trade in ten has the result of the 10th
        percentile or a lower one; the median is the result in the middle.
      </Definition>
      <Definition id="backtest-distribution" name="Distribution" field="histogram">
        How many trades had a result between two bounds. Where a few results are far above the others, the
        last bar has all of them.
      </Definition>
      <Definition id="backtest-exits" name="Exits" field="by_exit">
        <em>Target</em>: sold because the market cap was twice in a row at the target or above. <em>Stop</em>:
        sold because it was twice in a row at the stop or below. <em>Time over, dead or rugged</em>: sold
        because the longest time was over, or the token was found dead or rugged. <em>Not sold</em>: still
        open.
      </Definition>
      <Definition id="backtest-held" name="Mean time held" field="avg_hours_held">
        The mean time from purchase to sale of the trades that were sold.
      </Definition>
      <Definition id="backtest-open" name="Most open positions" field="max_open">
        The most positions that were open at the same time. Times the size of a purchase, it is the capital
        that the rule needed.
      </Definition>
      <Definition id="backtest-fall" name="Largest drawdown" field="max_drawdown_usd">
        The largest fall of the equity curve from an earlier high, in US dollars, by full minutes.
      </Definition>
      <Definition id="backtest-equity" name="Equity curve" field="equity">
        The profit of all trades together at each point in time. What was not sold by then counts as if sold
        then, with what was known then.
      </Definition>
    </Definitions>
  );
}
