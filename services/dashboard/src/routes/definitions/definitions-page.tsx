import { Code, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Page, Section } from '../../ui/page.tsx';
import styles from './definitions.module.css';

/** How every figure of signals and statistics is defined. */
export default function DefinitionsPage() {
  // The page's program was not there yet when the browser looked for the place that the address names.
  useEffect(() => {
    if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <Page
      title="How figures are defined"
      description="The same definitions hold for this dashboard and for the API."
    >
      <Section title="Statistics">
        <Definition id="period" name="Period" field="period">
          The signals made within it: after <em>now − period</em>, up to now. How they have done is what they
          stand at now, not what they did within the period.
        </Definition>
        <Definition id="signals" name="Signals" field="total_signals">
          How many signals were made in the period.
        </Definition>
        <Definition id="winners" name="Winners" field="winners">
          Those of them whose status is <em>winner</em> now. A winner that was rugged later counts no more.
        </Definition>
        <Definition id="win-rate" name="Win rate" field="win_rate">
          <Code>winners ÷ signals × 100</Code>, percent, rounded to two decimals; 0 where there are no
          signals. Signals that are still active count among the signals.
        </Definition>
        <Definition id="average-roi" name="Average ROI" field="avg_roi">
          The mean of the current ROI of all signals of the period, each counting the same; 0 where there are
          none.
        </Definition>
        <Definition id="best-roi" name="Best ROI" field="best_roi">
          The highest current ROI among them; 0 where there are none.
        </Definition>
        <Definition id="as-of" name="As of" field="as_of">
          The instant the figures are exact for: they equal a count over all signals at that instant.
        </Definition>
      </Section>
      <Section title="A signal’s performance">
        <Definition id="roi" name="ROI" field="performance.roi">
          <Code>(market cap now ÷ market cap at entry − 1) × 100</Code>, percent, rounded to two decimals. The
          market cap at entry is the one when the signal was made.
        </Definition>
        <Definition id="ath-roi" name="Highest ROI" field="performance.ath_roi">
          The same for the highest market cap seen since entry, which is never below the one at entry.
        </Definition>
        <Definition id="time-to-ath" name="Time to highest" field="performance.time_to_ath_hours">
          From the signal’s making to the observation of that highest market cap, in hours.
        </Definition>
        <Definition id="status" name="Status" field="performance.status">
          A signal starts <em>active</em>. It may become a <em>winner</em>, <em>dead</em> or <em>rugged</em>.
          A winner may still be rugged. Nothing else changes. The producer of the signals says so: it is never
          guessed from figures.
        </Definition>
        <Definition id="money" name="Market caps, volume, liquidity" field="metrics">
          US dollars.
        </Definition>
      </Section>
    </Page>
  );
}

function Definition(props: { id: string; name: string; field: string; children: ReactNode }) {
  return (
    <div className={styles.definition} id={props.id}>
      <div>
        <Title order={3} size="h6">
          {props.name}
        </Title>
        <Code>{props.field}</Code>
      </div>
      <Text size="sm" component="div">
        {props.children}
      </Text>
    </div>
  );
}
