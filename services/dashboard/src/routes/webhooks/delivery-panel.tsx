import { Drawer, Stack, Title } from '@mantine/core';
import type { DeliveryDetail, Webhook } from '@sigcast/client';
import { Link } from 'wouter';
import { useDelivery } from '../../api/queries.ts';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { exactTime } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Mono } from '../../ui/mono.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Attempt } from './attempt.tsx';
import { DeliveryBody } from './delivery-body.tsx';
import { SendAgain } from './send-again.tsx';
import { deliveryWord } from './webhook-words.ts';

/** One delivery with every attempt, beside the log. */
export function DeliveryPanel(props: { webhook: Webhook; id: string | undefined; onClose: () => void }) {
  return (
    <Drawer opened={props.id !== undefined} onClose={props.onClose} size="xl" title="Delivery">
      {props.id !== undefined && <Panel webhook={props.webhook} id={props.id} />}
    </Drawer>
  );
}

function Panel({ webhook, id }: { webhook: Webhook; id: string }) {
  const delivery = useDelivery(webhook.id, id);
  return <Loaded query={delivery}>{(data) => <Details webhook={webhook} delivery={data} />}</Loaded>;
}

function Details({ webhook, delivery }: { webhook: Webhook; delivery: DeliveryDetail }) {
  const { word, tone } = deliveryWord(delivery);
  const { body = null } = delivery;
  const newestFirst = [...delivery.attempts].reverse();
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
          ['Event', <Mono key="event">{delivery.event}</Mono>],
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
          ['Created', exactTime(delivery.created_at)],
          ...(delivery.next_attempt_at === null
            ? []
            : [['Next attempt', <NextAttempt key="next" at={delivery.next_attempt_at} />] as const]),
        ]}
      />
      <LabelledCopyable text={delivery.event_id} label="webhook-id" />
      <ForRole needs="developer">
        <SendAgain webhook={webhook} delivery={delivery} />
      </ForRole>
      <section aria-label="Attempts">
        <Title order={2} size="h5">
          Attempts
        </Title>
        {newestFirst.length === 0 && <p>The first attempt starts soon.</p>}
        {newestFirst.map((attempt) => (
          <Attempt
            key={`${attempt.number} ${attempt.started_at}`}
            attempt={attempt}
            body={webhook.kind === 'webhook' ? body : null}
          />
        ))}
      </section>
      <DeliveryBody body={body} />
    </Stack>
  );
}

function NextAttempt({ at }: { at: string }) {
  return Date.parse(at) <= Date.now() ? 'Due now' : <Instant at={at} />;
}
