import { Anchor, Text } from '@mantine/core';
import type { BacktestResult as Result } from '@sigcast/client';
import { Link } from 'wouter';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import cards from '../../ui/figure-card.module.css';
import { FigureCard } from '../../ui/figure-card.tsx';
import { count, exactUsd, hours, minuteTime, share } from '../../ui/format.ts';
import { Pair, Section } from '../../ui/page.tsx';
import { Roi } from '../signals/roi.tsx';
import { type Compared, CompareWith, Comparison } from './comparison.tsx';
import { EquityCurve } from './equity-curve.tsx';
import { GuideLink } from './guide-link.tsx';
import { Histogram } from './histogram.tsx';
import { Profit } from './profit.tsx';
import { ByExit, ByType, Percentiles } from './result-tables.tsx';
import { Trades } from './trades.tsx';

/** What a finished backtest found. `other` is another one to compare it with. */
export function BacktestResult({ backtest, other }: { backtest: Compared; other: Compared | undefined }) {
  const { parameters, result } = backtest;
  if (result.trades === 0) {
    return (
      <Section title="Result">
        <Empty title="No signal was bought">
          {result.signals === 0
            ? 'There are no such signals in this time. Choose more types or a longer time.'
            : `${notBought(result)}.`}
        </Empty>
      </Section>
    );
  }
  return (
    <>
      <Section
        title="Result"
        description={
          <>
            After costs. Past results promise nothing. <GuideLink />
          </>
        }
        actions={
          <>
            <Anchor component={Link} href="/definitions#backtest-trades" size="sm">
              How figures are defined
            </Anchor>
            <CompareWith id={backtest.id} />
          </>
        }
      >
        <div className={cards.cards}>
          <FigureCard name="Profit" anchor="backtest-profit" value={<Profit usd={result.profit_usd} />} />
          <FigureCard name="Mean result" anchor="backtest-mean" value={<Roi percent={result.avg_roi} />} />
          <FigureCard name="Profitable" anchor="backtest-profitable" value={share(result.profitable)} />
          <FigureCard name="Trades" anchor="backtest-trades" value={count(result.trades)} />
        </div>
        {Date.parse(parameters.filters.since) < Date.parse(result.hourly_before) && (
          <Text size="sm" c="dimmed" mt="sm">
            Before {minuteTime(result.hourly_before)}, the history has one observation an hour, so trades are
            less exact.
          </Text>
        )}
      </Section>
      {other && <Comparison backtest={backtest} other={other} />}
      <EquityCurve backtest={backtest} other={other} />
      <Pair>
        <Histogram result={result} />
        <Section title="Details">
          <Facts facts={factsOf(parameters.size_usd, result)} />
        </Section>
      </Pair>
      <Pair>
        <ByExit result={result} />
        <Percentiles result={result} />
      </Pair>
      <ByType result={result} />
      <Trades backtest={backtest} />
    </>
  );
}

function factsOf(sizeUsd: number, result: Result): [string, string][] {
  const { max_open: open } = result;
  return [
    ['Signals', count(result.signals)],
    ['Not bought', notBought(result)],
    ['Mean time held', hours(result.avg_hours_held)],
    ['Most open positions', `${count(open)}, which needed ${exactUsd(open * sizeUsd)}`],
    ['Largest drawdown', exactUsd(result.max_drawdown_usd)],
  ];
}

/** How many signals were not bought, and why. */
function notBought({ not_bought: { no_entry: noEntry, filtered } }: Result): string {
  return `${count(noEntry)} had no figures to buy at, ${count(filtered)} did not pass the filters`;
}
