import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { pageNumberIn } from '../../api/page-number.ts';
import { ForRole } from '../../ui/for-role.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { lastPage, NoSuchPage, Paging } from '../../ui/paging.tsx';
import { fieldsOf, mayBuy, usualFields } from './backtest-fields.ts';
import { BacktestForm } from './backtest-form.tsx';
import { backtestsPerPage, useBacktest, useBacktests } from './backtest-queries.ts';
import { BacktestTable } from './backtest-table.tsx';
import { titleOf } from './backtest-words.ts';
import styles from './backtests.module.css';
import { GuideLink } from './guide-link.tsx';

/** The form for a new backtest, and the list of the account's. `like` in the address is a backtest that fills the form. */
export default function BacktestsPage() {
  const [params, setParams] = useSearchParams();
  const like = params.get('like');
  return (
    <Page
      title="Backtests"
      description={
        <>
          See what a rule would have earned on past signals, after costs. Past results promise nothing.{' '}
          <GuideLink />
        </>
      }
    >
      <YourBacktests />
      <ForRole needs="developer">
        <Section
          title="New backtest"
          actions={
            like !== null && (
              <Button size="xs" variant="default" onClick={() => setParams({})}>
                Reset the form
              </Button>
            )
          }
        >
          {like === null ? <UsualForm /> : <FormLike key={like} id={like} />}
        </Section>
      </ForRole>
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

function YourBacktests() {
  const [params, setParams] = useSearchParams();
  const page = pageNumberIn(params, backtestsPerPage);
  const backtests = useBacktests(page);
  const at = (to: number) => ({ ...Object.fromEntries(params), page: String(to) });
  return (
    <Section title="Your backtests" description="Backtests are kept for 30 days." flush>
      <Loaded query={backtests} lines={4}>
        {({ data, meta }) => {
          if (meta.page > lastPage(meta)) {
            return <NoSuchPage meta={meta} hrefOf={(to) => `/backtests?${new URLSearchParams(at(to))}`} />;
          }
          return (
            <>
              <Outdated busy={backtests.isPlaceholderData}>
                <BacktestTable backtests={data} />
              </Outdated>
              {meta.total > 0 && <Paging meta={meta} onPage={(to) => setParams(at(to))} />}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
