import { Anchor, Box, Text } from '@mantine/core';
import type { BacktestResult as Result } from '@sigcast/client';
import { Link } from 'wouter';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import cards from '../../ui/figure-card.module.css';
import { FigureCard } from '../../ui/figure-card.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { count, exactUsd, minuteTime, share } from '../../ui/format.ts';
import { Pair, Section } from '../../ui/page.tsx';
import { Roi } from '../signals/roi.tsx';
import { useSignalsNow } from './backtest-queries.ts';
import { boughtOf, heldFor, nothingBoughtOf } from './backtest-words.ts';
import { type Compared, CompareWith, Comparison } from './comparison.tsx';
import { EquityCurve } from './equity-curve.tsx';
import { GuideLink } from './guide-link.tsx';
import { Histogram } from './histogram.tsx';
import { Profit } from './profit.tsx';
import { ByExit, ByType, Percentiles } from './result-tables.tsx';
import { RunAgain } from './run-again.tsx';

/** What a finished backtest found. `other` is another one to compare it with. */
export function BacktestResult({ backtest, other }: { backtest: Compared; other: Compared | undefined }) {
  const { parameters, result } = backtest;
  if (result.trades === 0) return <NothingBought backtest={backtest} />;
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
          <FigureCard name="Realized" anchor="backtest-profit" value={<Profit usd={result.realized_usd} />} />
          <FigureCard
            name="Still held"
            anchor="backtest-profit"
            value={<Profit usd={result.profit_usd - result.realized_usd} />}
          />
          <FigureCard name="Mean result" anchor="backtest-mean" value={<Roi percent={result.avg_roi} />} />
          <FigureCard name="Profitable" anchor="backtest-profitable" value={share(result.profitable)} />
          <FigureCard name="Trades" anchor="backtest-trades" value={count(result.trades)} />
        </div>
        <Text size="sm" c="dimmed" mt="sm">
          {boughtOf(result)}
        </Text>
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
        <Percentiles result={result} />
      </Pair>
      <Pair>
        <ByExit result={result} />
        <Section title="Details">
          <Facts facts={factsOf(parameters.size_usd, result)} />
        </Section>
      </Pair>
      <ByType result={result} />
    </>
  );
}

function factsOf(sizeUsd: number, result: Result): [string, string][] {
  const { max_open: open } = result;
  return [
    ['Mean time held', heldFor(result.avg_hours_held)],
    ['Most open positions', `${count(open)}, needing ${exactUsd(open * sizeUsd)}`],
    ['Largest drawdown', exactUsd(result.max_drawdown_usd)],
  ];
}

/** Why nothing was bought, and the way to change that. */
function NothingBought({ backtest: { id, parameters, result } }: { backtest: Compared }) {
  const now = useSignalsNow(parameters, result.signals === 0);
  return (
    <Section title="Result">
      <Empty title="No signals were bought">
        {nothingBoughtOf(parameters, result, now.data)}
        <ForRole needs="developer">
          <Box mt="md">
            <RunAgain id={id} />
          </Box>
        </ForRole>
      </Empty>
    </Section>
  );
}
