import { Switch } from '@mantine/core';
import type { LoggedRequest, RequestGap } from '@sigcast/contracts';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useKeys } from '../../api/queries.ts';
import { isFiltered, type RequestFilter, requestFilterIn, requestSearch } from '../../api/request-filter.ts';
import { useRequests } from '../../api/request-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { count, exactTime, milliseconds, plural } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { RequestFilters } from './request-filters.tsx';
import { RequestPanel } from './request-panel.tsx';
import { RequestTable } from './request-table.tsx';
import { summaryOf } from './request-words.ts';
import styles from './requests.module.css';

/** The account's requests, newest first. The address has the filter and the opened request. */
export default function RequestsPage() {
  const [, navigate] = useLocation();
  const search = useSearch();
  const [live, setLive] = useState(false);
  const filter = requestFilterIn(search);
  const opened = new URLSearchParams(search).get('open') ?? undefined;
  const requests = useRequests(filter, live);
  const { data: keys = [] } = useKeys();
  const pathTo = (query: URLSearchParams) => `/requests${query.size > 0 ? `?${query}` : ''}`;
  const show = (next: RequestFilter) => navigate(pathTo(requestSearch(next)));
  const hrefOf = ({ request_id: id }: LoggedRequest) => {
    const query = requestSearch(filter);
    query.set('open', id);
    return pathTo(query);
  };
  return (
    <Page
      title="Requests"
      description={`${whose(filter.key)} in the last 7 days. Streams appear when they end.`}
    >
      <Section
        title="Log"
        flush
        actions={
          <Switch label="Live" checked={live} onChange={(event) => setLive(event.currentTarget.checked)} />
        }
      >
        <Loaded query={requests} rows={12}>
          {({ pages }) => {
            const found = pages.flatMap(({ data }) => data);
            const routes = found.flatMap(({ route }) => route ?? []);
            return (
              <>
                <RequestFilters filter={filter} keys={keys} routes={routes} onChange={show} />
                <Gaps gaps={pages.flatMap(({ meta }) => meta.gaps)} />
                <Outdated busy={requests.isPlaceholderData}>
                  {found.length > 0 && <Figures requests={found} />}
                  {found.length === 0 ? (
                    <NoRequests filter={filter} goesOn={requests.hasNextPage} />
                  ) : (
                    <RequestTable requests={found} keys={keys} hrefOf={hrefOf} />
                  )}
                </Outdated>
                <ShowMore query={requests} />
              </>
            );
          }}
        </Loaded>
      </Section>
      <RequestPanel id={opened} keys={keys} onClose={() => show(filter)} />
    </Page>
  );
}

/** How the requests of the table went. */
function Figures({ requests }: { requests: readonly LoggedRequest[] }) {
  const { clientErrors, serverErrors, p50, p95 } = summaryOf(requests);
  const time = (ms: number | undefined) => (ms === undefined ? '–' : milliseconds(ms));
  return (
    <p className={styles.figures}>
      Of the {count(requests.length)} shown: <b>{plural(clientErrors, 'client error')}</b>,{' '}
      <b>{plural(serverErrors, 'server error')}</b>, latency p50 <b>{time(p50)}</b>, p95 <b>{time(p95)}</b>
    </p>
  );
}

/** What the log lacks. */
function Gaps({ gaps }: { gaps: readonly RequestGap[] }) {
  if (gaps.length === 0) return null;
  return (
    <div className={styles.gaps}>
      {gaps.map(({ from, until, dropped }) => (
        <p key={`${from} ${until} ${dropped}`}>
          {plural(dropped, 'request is', 'requests are')} missing, from {exactTime(from)} to{' '}
          {exactTime(until)}.
        </p>
      ))}
    </div>
  );
}

function NoRequests({ filter, goesOn }: { filter: RequestFilter; goesOn: boolean }) {
  if (goesOn) return <Empty title="No newer request matches these filters">Older ones may.</Empty>;
  if (isFiltered(filter)) return <Empty title="No request matches these filters" />;
  return (
    <Empty title={filter.key === null ? 'No requests yet' : 'No request with an API key yet'}>
      A request appears here about two seconds after its answer.{' '}
      <Link href="/getting-started">Send the first one</Link>
    </Empty>
  );
}

/** Which requests are listed, in words. */
function whose(key: RequestFilter['key']): string {
  if (key === null) return 'Requests with your API keys and of this dashboard';
  if (key === 'programs') return 'Requests with your API keys';
  return key === 'dashboard' ? 'Requests of this dashboard' : 'Requests with one API key';
}
