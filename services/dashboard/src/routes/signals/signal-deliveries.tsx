import { Button } from '@mantine/core';
import type { Webhook } from '@sigcast/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { useWebhooks } from '../../api/queries.ts';
import { problemOf } from '../../api/use-action.ts';
import { Address } from '../../ui/address.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Failed, Loaded, Loading } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { WhenSeen } from '../../ui/when-seen.tsx';
import { LastAnswer } from '../webhooks/last-answer.tsx';
import { deliveryWord } from '../webhooks/webhook-words.ts';
import styles from './signal-page.module.css';
import { type SentDelivery, useSignalDeliveries } from './signal-queries.ts';

/** Each webhook costs a request, which counts against the account's limit, so the rest is only loaded on demand. */
const askedAtFirst = 5;

/** The deliveries of a signal's events to all webhooks of the account. Loaded when it comes into view. */
export function SignalDeliveries({ id }: { id: string }) {
  return (
    <Section title="Deliveries" flush description="Events of this signal that were sent to your webhooks.">
      <WhenSeen className={styles.deliveries}>
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
  return (
    <>
      {error !== undefined && (
        <Failed
          problem={`The deliveries of ${errors.length} of ${asked.length} webhooks could not be loaded: ${problemOf(error)}`}
          busy={fetching}
          onRetry={() => void retry()}
        />
      )}
      {sent.length > 0 && <DeliveryTable id={id} sent={sent} />}
      {pending && <Loading lines={2} />}
      {sent.length === 0 && !pending && error === undefined && (
        <Empty title="No deliveries of this signal">
          {left > 0
            ? `The ${asked.length} newest webhooks received no event of this signal.`
            : 'A webhook receives the events and signal types of its subscription, from the time when the webhook was added.'}
        </Empty>
      )}
      {left > 0 && (
        <div className={styles.more}>
          <Button size="xs" variant="default" onClick={() => setAll(true)}>
            {left === 1
              ? 'Show the deliveries of 1 more webhook'
              : `Show the deliveries of ${left} more webhooks`}
          </Button>
        </div>
      )}
    </>
  );
}

function DeliveryTable({ id, sent }: { id: string; sent: readonly SentDelivery[] }) {
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label="Deliveries">
        <thead>
          <tr>
            <th>Webhook</th>
            <th>State</th>
            <th className={table.wide}>Event</th>
            <th className={table.medium}>Last answer</th>
            <th className={`${table.number} ${table.wide}`}>Attempts</th>
            <th className={`${table.number} ${table.medium}`}>Created</th>
          </tr>
        </thead>
        <tbody>
          {sent.map(({ webhook, delivery }) => {
            const { word, tone } = deliveryWord(delivery);
            const query = new URLSearchParams({ signal_id: id, delivery: delivery.id });
            return (
              <tr key={delivery.id} className={table.opens}>
                <td className={styles.webhook}>
                  <Link href={`/webhooks/${webhook.id}?${query}`} className={styles.address ?? ''}>
                    <Address url={webhook.url} />
                  </Link>
                  <span className={table.insteadOfWide}>{delivery.event}</span>
                </td>
                <td>
                  <Tag tone={tone}>{word}</Tag>
                </td>
                <td className={table.wide}>{delivery.event}</td>
                <td className={table.medium}>
                  <LastAnswer delivery={delivery} />
                </td>
                <td className={`${table.number} ${table.wide}`}>{delivery.attempt_count}</td>
                <td className={`${table.number} ${table.medium}`}>
                  <Instant at={delivery.created_at} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
