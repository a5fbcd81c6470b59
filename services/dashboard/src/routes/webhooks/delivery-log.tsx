import { Button } from '@mantine/core';
import type { Webhook, WebhookHealth } from '@sigcast/client';
import type { DeliveryState } from '@sigcast/contracts';
import { IconHistory } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import {
  type DeliveryFilter,
  deliveryFilterIn,
  deliveryQuery,
  isFiltered,
  stateWords,
} from '../../api/delivery-filter.ts';
import { deepestRow } from '../../api/page-number.ts';
import { healthKey, useDeliveries, useHealth } from '../../api/queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import { lastPage, NoSuchPage, Paging } from '../../ui/paging.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { keysOf } from '../signals/signal-words.ts';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { type HealthRefresh, healthRefresh, type ShownLog } from './health-refresh.ts';
import { logCount } from './health-words.ts';
import { RecoverForm } from './recover-form.tsx';

/** Everything sent to a webhook, newest first. The address has the filter and the opened delivery. */
export function DeliveryLog({ webhook }: { webhook: Webhook }) {
  const [, navigate] = useLocation();
  const search = useSearch();
  const filter = deliveryFilterIn(search);
  const opened = new URLSearchParams(search).get('delivery');
  const deliveries = useDeliveries(webhook.id, filter);
  const { data: health } = useHealth(webhook.id, { live: true });
  useFreshHealth(webhook.id, {
    query: deliveryQuery(filter).toString(),
    answer: deliveries.isPlaceholderData ? undefined : deliveries.data?.data,
  });
  const pathTo = (query: URLSearchParams) => `/webhooks/${webhook.id}${query.size > 0 ? `?${query}` : ''}`;
  const pathOf = (status: DeliveryFilter['status']) => pathTo(deliveryQuery({ ...filter, status, page: 1 }));
  const show = (next: DeliveryFilter) => navigate(pathTo(deliveryQuery(next)));
  return (
    <Section
      title="Deliveries"
      flush
      actions={
        <ForRole needs="developer">
          <ResendFailed webhook={webhook} />
        </ForRole>
      }
    >
      <Tabs
        label="States of deliveries"
        tabs={[
          { to: pathOf(null), label: 'All' },
          ...keysOf(stateWords).map((state) => ({
            to: pathOf(state),
            label: stateWords[state],
            ...countIn(health, state),
          })),
        ]}
        current={pathOf(filter.status)}
      />
      <DeliveryFilters filter={filter} onChange={show} />
      <Loaded query={deliveries} rows={12}>
        {({ data, meta }) => (
          <>
            {meta.page > lastPage(meta) ? (
              <NoSuchPage meta={meta} hrefOf={(page) => pathTo(deliveryQuery({ ...filter, page }))} />
            ) : data.length === 0 ? (
              <NoDeliveries filter={filter} />
            ) : (
              <Outdated busy={deliveries.isPlaceholderData}>
                <DeliveryTable
                  deliveries={data}
                  hrefOf={({ id }) => {
                    const query = deliveryQuery(filter);
                    query.set('delivery', id);
                    return pathTo(query);
                  }}
                />
              </Outdated>
            )}
            {data.length > 0 && (
              <Paging meta={meta} countsTo={deepestRow} onPage={(page) => show({ ...filter, page })} />
            )}
          </>
        )}
      </Loaded>
      <DeliveryPanel webhook={webhook} id={opened ?? undefined} onClose={() => show(filter)} />
    </Section>
  );
}

/** How many deliveries of the log are in a state, where that is known and any are. */
function countIn(health: WebhookHealth | undefined, state: DeliveryState): { count?: string } {
  if (health === undefined || state === 'delivered') return {};
  const { waiting, retrying, failed } = health;
  const number = { pending: waiting + retrying, retrying, failed }[state];
  return number === 0 ? {} : { count: logCount(number) };
}

function NoDeliveries({ filter }: { filter: DeliveryFilter }) {
  if (isFiltered(filter)) return <Empty title="No delivery matches these filters" />;
  return <Empty title="Nothing sent yet">Send a test to see whether your receiver answers.</Empty>;
}

/** The health is counted from the log: when the log has changed, the counts are asked for again. */
function useFreshHealth(id: string, { query, answer }: ShownLog): void {
  const queries = useQueryClient();
  const refresh = useRef<HealthRefresh>(undefined);
  useEffect(() => {
    const made = healthRefresh(() => void queries.invalidateQueries({ queryKey: healthKey(id) }));
    refresh.current = made;
    return () => made.stop();
  }, [queries, id]);
  useEffect(() => refresh.current?.saw({ query, answer }), [query, answer]);
}

/** If deliveries have failed, offers to send again all that failed since a time. */
function ResendFailed({ webhook }: { webhook: Webhook }) {
  const [asking, setAsking] = useState(false);
  const { data } = useHealth(webhook.id, { live: true });
  if (webhook.status === 'disabled' || (data?.failed ?? 0) === 0) return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconHistory size={14} />}
        onClick={() => setAsking(true)}
      >
        Resend failed deliveries
      </Button>
      <RecoverForm
        title="Resend failed deliveries"
        webhook={webhook}
        opened={asking}
        sinceMs={undefined}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
