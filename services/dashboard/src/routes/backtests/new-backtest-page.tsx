import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { BackLink } from '../../ui/back-link.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { fieldsOf, mayBuy, usualFields } from './backtest-fields.ts';
import { BacktestForm } from './backtest-form.tsx';
import { useBacktest } from './backtest-queries.ts';
import { titleOf } from './backtest-words.ts';
import styles from './backtests.module.css';
import { GuideLink } from './guide-link.tsx';

/** The form for a new backtest. `like` in the address is a backtest that fills it. */
export default function NewBacktestPage() {
  const [params, setParams] = useSearchParams();
  const like = params.get('like');
  return (
    <Page
      title="New backtest"
      above={
        <BackLink href="/backtests" form>
          Backtests
        </BackLink>
      }
      description={
        <>
          See what a rule would have earned on past signals, after costs. Past results promise nothing.{' '}
          <GuideLink />
        </>
      }
      actions={
        like !== null && (
          <Button variant="default" onClick={() => setParams({})}>
            Reset the form
          </Button>
        )
      }
    >
      <Section title="Rule">{like === null ? <UsualForm /> : <FormLike key={like} id={like} />}</Section>
    </Page>
  );
}

function UsualForm() {
  const [initial] = useState(() => usualFields(Date.now()));
  return <BacktestForm initial={initial} />;
}

function FormLike({ id }: { id: string }) {
  const backtest = useBacktest(id);
  return (
    <Loaded query={backtest} lines={6}>
      {({ name, parameters, result }) => (
        <>
          <p className={styles.filled}>
            Filled in from{' '}
            <Anchor component={Link} href={`/backtests/${id}`} size="sm">
              <bdi>{titleOf({ name, parameters })}</bdi>
            </Anchor>
            {mayBuy(result) ? ', with the same “As of” so that you can compare the results.' : '.'}
          </p>
          <BacktestForm initial={fieldsOf(parameters, result)} unfolded />
        </>
      )}
    </Loaded>
  );
}
