import { Box, Button } from '@mantine/core';
import type { Webhook } from '@sigcast/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { useWebhooks } from '../../api/queries.ts';
import { problemOf } from '../../api/use-action.ts';
import { Empty } from '../../ui/empty.tsx';
import { plural } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded, Loading } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { WhenSeen } from '../../ui/when-seen.tsx';
import { DeliveryTag } from '../webhooks/delivery-tag.tsx';
import { LastAnswer } from '../webhooks/last-answer.tsx';
import { nameOf } from '../webhooks/webhook-words.ts';
import styles from './signal-page.module.css';
import { type SentDelivery, useSignalDeliveries } from './signal-queries.ts';

/** Each webhook costs a request, which counts against the account's limit, so the rest is only loaded on demand. */
const askedAtFirst = 5;

/** The deliveries of a signal's events to all webhooks of the account. Loaded when it comes into view. */
export function SignalDeliveries({ id }: { id: string }) {
  return (
    <Section title="Deliveries" flush description="Events of this signal that were sent to your webhooks.">
      <WhenSeen className={styles.deliveries} before={<Loading lines={2} />}>
        <OfWebhooks id={id} />
      </WhenSeen>
    </Section>
  );
}

function OfWebhooks({ id }: { id: string }) {
  const webhooks = useWebhooks();
  return (
    <Loaded query={webhooks} lines={2}>
      {(list) => (list.length === 0 ? <NoWebhooks /> : <Deliveries id={id} webhooks={list} />)}
    </Loaded>
  );
}

function NoWebhooks() {
  return (
    <Empty title="No webhooks yet">
      Sigcast sends each new signal to your webhooks. <Link href="/webhooks">Add a webhook</Link>
    </Empty>
  );
}

function Deliveries({ id, webhooks }: { id: string; webhooks: readonly Webhook[] }) {
  const [all, setAll] = useState(false);
  const asked = all ? webhooks : webhooks.slice(0, askedAtFirst);
  const { sent, pending, errors, fetching, retry } = useSignalDeliveries(id, asked);
  const left = webhooks.length - asked.length;
  const [error] = errors;
  const isEmpty = sent.length === 0 && !pending && error === undefined;
  return (
    <>
      {error !== undefined && (
        <Problem
          problem={error}
          words={`The deliveries of ${errors.length} of ${plural(asked.length, 'webhook')} could not be loaded: ${problemOf(error)}`}
          busy={fetching}
          onRetry={() => void retry()}
        />
      )}
      {sent.length > 0 && <DeliveryTable id={id} sent={sent} />}
      {pending && <Loading lines={2} />}
      {isEmpty && (
        <Empty title="No deliveries of this signal">
          {left > 0
            ? `The ${plural(asked.length, 'newest webhook')} received no event of this signal.`
            : 'A webhook receives its events and signal types from the time when the webhook was added.'}
        </Empty>
      )}
      {left > 0 && (
        <Box px="lg" py="sm">
          <Button size="xs" variant="default" onClick={() => setAll(true)}>
            Show the deliveries of {plural(left, 'more webhook')}
          </Button>
        </Box>
      )}
    </>
  );
}

function DeliveryTable({ id, sent }: { id: string; sent: readonly SentDelivery[] }) {
  return (
    <Table
      label="Deliveries"
      rows={sent}
      keyOf={({ delivery }) => delivery.id}
      opens
      columns={[
        {
          head: 'Webhook',
          wraps: true,
          cell: ({ webhook, delivery }) => (
            <Link
              href={`/webhooks/${webhook.id}?${new URLSearchParams({ signal_id: id, delivery: delivery.id })}`}
              className={table.title ?? ''}
            >
              {nameOf(webhook)}
            </Link>
          ),
        },
        { head: 'State', cell: ({ delivery }) => <DeliveryTag delivery={delivery} /> },
        { head: 'Event', wide: '', cell: ({ delivery }) => delivery.event },
        { head: 'Last answer', medium: true, cell: ({ delivery }) => <LastAnswer delivery={delivery} /> },
        { head: 'Attempts', number: true, wide: true, cell: ({ delivery }) => delivery.attempt_count },
        {
          head: 'Created',
          number: true,
          medium: true,
          cell: ({ delivery }) => <Instant at={delivery.created_at} />,
        },
      ]}
    />
  );
}
