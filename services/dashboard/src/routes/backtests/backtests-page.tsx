import { Button } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { pageNumberIn } from '../../api/page-number.ts';
import { ForRole } from '../../ui/for-role.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { lastPage, NoSuchPage, Paging } from '../../ui/paging.tsx';
import { backtestsPerPage, useBacktests } from './backtest-queries.ts';
import { BacktestTable } from './backtest-table.tsx';
import { GuideLink } from './guide-link.tsx';

/** The list of the account's backtests. */
export default function BacktestsPage() {
  return (
    <Page
      title="Backtests"
      description={
        <>
          See what a rule would have earned on past signals, after costs. Past results promise nothing.{' '}
          <GuideLink />
        </>
      }
      actions={
        <ForRole needs="developer">
          <Button component={Link} href="/backtests/new">
            New backtest
          </Button>
        </ForRole>
      }
    >
      <YourBacktests />
    </Page>
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
