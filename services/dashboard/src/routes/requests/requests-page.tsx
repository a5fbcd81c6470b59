import { Button, Switch } from '@mantine/core';
import type { LoggedRequest, RequestGap } from '@sigcast/contracts';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useKeys } from '../../api/queries.ts';
import { isFiltered, type RequestFilter, requestFilterIn, requestQuery } from '../../api/request-filter.ts';
import { useRequests } from '../../api/request-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { count, exactTime } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { RequestFilters } from './request-filters.tsx';
import { RequestPanel } from './request-panel.tsx';
import { RequestTable } from './request-table.tsx';
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
  const show = (next: RequestFilter) => navigate(pathTo(requestQuery(next)));
  const hrefOf = ({ request_id: id }: LoggedRequest) => {
    const query = requestQuery(filter);
    query.set('open', id);
    return pathTo(query);
  };
  return (
    <Page
      title="Requests"
      description="Every request of the last 7 days with your API keys and by this dashboard, the newest 100,000. A stream appears when it ends."
    >
      <Section
        title="Log"
        flush
        actions={
          <Switch
            label="Live"
            checked={live}
            onChange={(event) => setLive(event.currentTarget.checked)}
            description="New requests appear within seconds"
          />
        }
      >
        <Loaded query={requests}>
          {({ pages }) => {
            const found = pages.flatMap(({ data }) => data);
            const routes = found.flatMap(({ route }) => route ?? []);
            return (
              <>
                <RequestFilters filter={filter} keys={keys} routes={routes} onChange={show} />
                <Gaps gaps={pages.flatMap(({ meta }) => meta.gaps)} />
                <Outdated busy={requests.isPlaceholderData}>
                  {found.length === 0 ? (
                    <NoRequests filter={filter} goesOn={requests.hasNextPage} />
                  ) : (
                    <RequestTable requests={found} keys={keys} hrefOf={hrefOf} />
                  )}
                </Outdated>
                {requests.hasNextPage && (
                  <div className={styles.more}>
                    <Button
                      size="compact-sm"
                      variant="default"
                      loading={requests.isFetchingNextPage}
                      onClick={() => void requests.fetchNextPage()}
                    >
                      Show older requests
                    </Button>
                  </div>
                )}
              </>
            );
          }}
        </Loaded>
      </Section>
      <RequestPanel id={opened} keys={keys} onClose={() => show(filter)} />
    </Page>
  );
}

/** What the log lacks. */
function Gaps({ gaps }: { gaps: readonly RequestGap[] }) {
  if (gaps.length === 0) return null;
  return (
    <div className={styles.gaps}>
      {gaps.map(({ from, until, dropped }) => (
        <p key={`${from} ${until} ${dropped}`}>
          {count(dropped)} requests are missing, from {exactTime(from)} to {exactTime(until)}.
        </p>
      ))}
    </div>
  );
}

function NoRequests({ filter, goesOn }: { filter: RequestFilter; goesOn: boolean }) {
  if (goesOn) return <Empty title="No newer request matches these filters">Older ones may.</Empty>;
  if (isFiltered(filter)) return <Empty title="No request matches these filters" />;
  return <Empty title="No requests yet">A request appears here about two seconds after its answer.</Empty>;
}
