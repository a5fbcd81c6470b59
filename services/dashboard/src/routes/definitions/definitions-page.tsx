import { Code } from '@mantine/core';
import { useEffect } from 'react';
import { Page, Settings } from '../../ui/page.tsx';
import { BacktestDefinitions } from './backtest-definitions.tsx';
import { Definition, Definitions } from './definition.tsx';
import { TypeDefinitions } from './type-definitions.tsx';

/** How every figure of signals, statistics and backtests is defined. */
export default function DefinitionsPage() {
  // When the browser looked for the place that the address names, this page was not rendered yet.
  useEffect(() => {
    if (location.hash !== '') location.replace(location.hash);
  }, []);
  return (
    <Page
      title="How figures are defined"
      description="The same definitions hold for this dashboard and for the API."
    >
      <Settings>
        <Definitions title="Statistics">
          <Definition id="period" name="Period" field="period">
            Includes the signals created after <em>now − period</em>, up to now. The figures show how these
            signals stand now, not only what happened within the period.
          </Definition>
          <Definition id="signals" name="Signals" field="total_signals">
            The number of signals created in the period.
          </Definition>
          <Definition id="winners" name="Winners" field="winners">
            The number of these signals whose status is <em>winner</em> now. A winner that is rugged later no
            longer counts.
          </Definition>
          <Definition id="win-rate" name="Win rate" field="win_rate">
            <Code>winners ÷ signals × 100</Code>, in percent, rounded to two decimals. 0 if there are no
            signals. Active signals count as signals, too.
          </Definition>
          <Definition id="average-roi" name="Average ROI" field="avg_roi">
            The mean of the current ROI of all signals in the period. Every signal has the same weight. 0 if
            there are no signals.
          </Definition>
          <Definition id="best-roi" name="Best ROI now" field="best_roi">
            The highest current ROI of all signals in the period. 0 if there are no signals.
          </Definition>
          <Definition id="average-realizable-roi" name="Realizable ROI" field="realizable.avg_roi">
            What an order of $100 for each of these signals would have earned on average, after costs, bought
            and sold by a rule that was fixed before. The mean of the realizable ROI of the signals with which
            the rule had a position. Open positions count as if sold now.
          </Definition>
          <Definition id="profitable" name="Profitable" field="realizable.profitable">
            The share of these positions with a realizable ROI above 0.
          </Definition>
          <Definition id="as-of" name="As of" field="as_of">
            The time for which the figures are exact. A count over all signals at that time gives the same
            figures.
          </Definition>
        </Definitions>
        <Definitions title="A signal’s performance">
          <Definition id="roi" name="ROI" field="performance.roi">
            <Code>(market cap now ÷ market cap at entry − 1) × 100</Code>, in percent, rounded to two
            decimals. The market cap at entry is the market cap when the signal was created.
          </Definition>
          <Definition id="ath-roi" name="Peak ROI" field="performance.ath_roi">
            The same formula with the highest market cap since entry. The highest market cap is never below
            the market cap at entry.
          </Definition>
          <Definition id="realizable" name="Realizable ROI" field="realizable.roi">
            What an order of $100 would have earned, after costs, by a rule that was fixed before. The order
            is bought at the first observation of the market from one minute up to one hour after the signal.
            It is sold at the second observation in a row with at least twice the market cap of its entry (
            <em>target</em>), or at most half of it (<em>stop</em>); else after seven days, or when the signal
            is found dead or rugged (<em>end</em>). Each trade costs 1% and its price impact. Before the exit:
            as if sold at the newest observation. A signal that was not observed with liquidity in its first
            hour has no position.
          </Definition>
          <Definition id="time-to-ath" name="Time to peak" field="performance.time_to_ath_hours">
            The time from the creation of the signal to its highest market cap, in hours.
          </Definition>
          <Definition id="status" name="Status" field="performance.status">
            A signal starts as <em>active</em>. An active signal can become a <em>winner</em>, <em>dead</em>{' '}
            or <em>rugged</em>. A winner can still become rugged. No other change is possible. The producer of
            the signals sets the status, or published rules decide it from observations of the market.
          </Definition>
          <Definition id="money" name="Market caps, volume, liquidity" field="metrics">
            In US dollars.
          </Definition>
        </Definitions>
        <TypeDefinitions />
        <BacktestDefinitions />
      </Settings>
    </Page>
  );
}
