import { Box, Button } from '@mantine/core';
import type { Webhook } from '@sigcast/client';
import { mayDo } from '@sigcast/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useWebhooks } from '../../api/queries.ts';
import { useAccount } from '../../api/session-context.tsx';
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
import { SendAgain } from '../webhooks/send-again.tsx';
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
        <WebhookDeliveries signal={id} />
      </WhenSeen>
    </Section>
  );
}

/** Which events' deliveries are listed: those of a signal, or one of them. */
type Of = { readonly signal: string; readonly event?: string };

/** The deliveries of these events by webhook, each with a button that sends it again. */
export function WebhookDeliveries(of: Of) {
  const webhooks = useWebhooks();
  return (
    <Loaded query={webhooks} lines={2}>
      {(list) => (list.length === 0 ? <NoWebhooks /> : <Deliveries of={of} webhooks={list} />)}
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

function Deliveries({ of, webhooks }: { of: Of; webhooks: readonly Webhook[] }) {
  const [all, setAll] = useState(false);
  const asked = all ? webhooks : webhooks.slice(0, askedAtFirst);
  const { sent: ofSignal, pending, errors, fetching, retry } = useSignalDeliveries(of.signal, asked);
  const sent = ofSignal.filter(({ delivery }) => of.event === undefined || delivery.event_id === of.event);
  const left = webhooks.length - asked.length;
  const [error] = errors;
  const what = of.event === undefined ? 'signal' : 'event';
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
      {sent.length > 0 && <DeliveryTable of={of} sent={sent} />}
      {pending && <Loading lines={2} />}
      {isEmpty && (
        <Empty title={`No deliveries of this ${what}`}>
          {left > 0
            ? `The ${plural(asked.length, 'newest webhook')} received ${what === 'event' ? 'nothing of this event' : 'no event of this signal'}.`
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

const resend = {
  head: 'Resend',
  cell: ({ webhook, delivery }: SentDelivery) => <SendAgain webhook={webhook} delivery={delivery} inRow />,
};

function DeliveryTable({ of: { signal, event }, sent }: { of: Of; sent: readonly SentDelivery[] }) {
  const { role } = useAccount();
  return (
    <Table
      label="Deliveries"
      rows={sent}
      keyOf={({ delivery }) => delivery.id}
      opens
      inset={event !== undefined}
      columns={[
        {
          head: 'Webhook',
          wraps: true,
          cell: ({ webhook, delivery }) => (
            <Link
              href={`/webhooks/${webhook.id}?${new URLSearchParams({ signal_id: signal, delivery: delivery.id })}`}
              className={table.title ?? ''}
            >
              {nameOf(webhook)}
            </Link>
          ),
        },
        { head: 'State', cell: ({ delivery }) => <DeliveryTag delivery={delivery} /> },
        ...(event === undefined
          ? [
              {
                head: 'Event',
                wide: '',
                cell: ({ delivery }: SentDelivery) => delivery.event,
              },
            ]
          : []),
        { head: 'Last answer', medium: true, cell: ({ delivery }) => <LastAnswer delivery={delivery} /> },
        { head: 'Attempts', number: true, wide: true, cell: ({ delivery }) => delivery.attempt_count },
        {
          head: 'Created',
          number: true,
          medium: true,
          cell: ({ delivery }) => <Instant at={delivery.created_at} />,
        },
        ...(mayDo(role, 'developer') ? [resend] : []),
      ]}
    />
  );
}
