import { Button, Drawer, Stack, Title } from '@mantine/core';
import type { DeliveryAttempt, DeliveryDetail } from '@sigcast/contracts';
import { IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { stored, useDelivery } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Facts } from '../../ui/facts.tsx';
import { exactTime, milliseconds } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Tag } from '../../ui/tag.tsx';
import { deliveryWords, outcomeWords } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** One delivery with every attempt, beside the log. */
export function DeliveryPanel(props: { webhookId: string; id: string | undefined; onClose: () => void }) {
  return (
    <Drawer opened={props.id !== undefined} onClose={props.onClose} size="lg" title="Delivery">
      {props.id !== undefined && <Panel webhookId={props.webhookId} id={props.id} />}
    </Drawer>
  );
}

function Panel({ webhookId, id }: { webhookId: string; id: string }) {
  const delivery = useDelivery(webhookId, id);
  return <Loaded query={delivery}>{(data) => <Details webhookId={webhookId} delivery={data} />}</Loaded>;
}

function Details({ webhookId, delivery }: { webhookId: string; delivery: DeliveryDetail }) {
  const session = useSession();
  const queries = useQueryClient();
  const retry = useAction(async () => {
    const id = encodeURIComponent(delivery.id);
    await session.call('POST', `/v1/webhooks/${webhookId}/deliveries/${id}/retry`);
    await queries.invalidateQueries({ queryKey: [...stored.deliveries, webhookId] });
  });
  const { word, tone } = deliveryWords[delivery.status];
  return (
    <Stack>
      <Facts
        facts={[
          [
            'State',
            <Tag key="state" tone={tone}>
              {word}
            </Tag>,
          ],
          ['Event', delivery.event],
          ...(delivery.signal_id === null
            ? []
            : [
                [
                  'Signal',
                  <Link key="signal" href={`/signals/${delivery.signal_id}`}>
                    {delivery.signal_id}
                  </Link>,
                ] as const,
              ]),
          ['Made', exactTime(delivery.created_at)],
          ...(delivery.next_attempt_at === null
            ? []
            : [['Next attempt', <Instant key="next" at={delivery.next_attempt_at} />] as const]),
        ]}
      />
      <LabelledCopyable text={delivery.event_id} label="webhook-id" />
      <Problem problem={retry.problem} />
      {delivery.status !== 'pending' && (
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={retry.pending}
          onClick={() => void retry.run()}
        >
          Send once more
        </Button>
      )}
      <Title order={2} size="h5">
        Attempts
      </Title>
      {delivery.attempts.length === 0 && <p>The first one is about to be made.</p>}
      <div>
        {[...delivery.attempts].reverse().map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} eventId={delivery.event_id} />
        ))}
      </div>
    </Stack>
  );
}

function Attempt({ attempt, eventId }: { attempt: DeliveryAttempt; eventId: string }) {
  const good = attempt.outcome === 'succeeded';
  const startedS = Math.floor(Date.parse(attempt.started_at) / 1_000);
  return (
    <section className={styles.attempt} aria-label={`Attempt ${attempt.number}`}>
      <div className={styles.attemptHeader}>
        <span>Attempt {attempt.number}</span>
        <Tag tone={good ? 'good' : 'bad'}>{attempt.http_status ?? outcomeWords[attempt.outcome]}</Tag>
      </div>
      <Facts
        facts={[
          ['Outcome', outcomeWords[attempt.outcome]],
          ['Began', exactTime(attempt.started_at)],
          ['Took', milliseconds(attempt.duration_ms)],
          ...(attempt.error === null ? [] : [['What went wrong', attempt.error] as const]),
        ]}
      />
      <span className={styles.what}>Request</span>
      <pre className={styles.answer}>
        {`POST\nwebhook-id: ${eventId}\nwebhook-timestamp: ${startedS}\nwebhook-attempt: ${attempt.number}`}
      </pre>
      {attempt.response_body !== null && attempt.response_body !== '' && (
        <>
          <span className={styles.what}>Answer</span>
          <pre className={styles.answer}>{attempt.response_body}</pre>
        </>
      )}
    </section>
  );
}
