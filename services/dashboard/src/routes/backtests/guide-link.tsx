import { Anchor } from '@mantine/core';

/** A link to the guide, which says how a backtest computes and what it leaves out. */
export function GuideLink() {
  return (
    <Anchor href="/docs/backtests" target="_blank" rel="noreferrer" size="sm" title="Opens a new tab">
      How backtests work
    </Anchor>
  );
}
