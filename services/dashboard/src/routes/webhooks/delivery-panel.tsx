import { Button, Drawer, Stack, Title } from '@mantine/core';
import type { DeliveryDetail, Webhook } from '@sigcast/contracts';
import { IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { stored, useDelivery } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Facts } from '../../ui/facts.tsx';
import { exactTime } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Attempt } from './attempt.tsx';
import { deliveryWord } from './webhook-words.ts';

/** One delivery with every attempt, beside the log. */
export function DeliveryPanel(props: { webhook: Webhook; id: string | undefined; onClose: () => void }) {
  return (
    <Drawer opened={props.id !== undefined} onClose={props.onClose} size="lg" title="Delivery">
      {props.id !== undefined && <Panel webhook={props.webhook} id={props.id} />}
    </Drawer>
  );
}

function Panel({ webhook, id }: { webhook: Webhook; id: string }) {
  const delivery = useDelivery(webhook.id, id);
  return <Loaded query={delivery}>{(data) => <Details webhook={webhook} delivery={data} />}</Loaded>;
}

function Details({ webhook, delivery }: { webhook: Webhook; delivery: DeliveryDetail }) {
  const session = useSession();
  const queries = useQueryClient();
  const retry = useAction(async () => {
    const id = encodeURIComponent(delivery.id);
    await session.call('POST', `/v1/webhooks/${webhook.id}/deliveries/${id}/retry`);
    await queries.invalidateQueries({ queryKey: [...stored.deliveries, webhook.id] });
  });
  const { word, tone } = deliveryWord(delivery);
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
          <Attempt key={attempt.number} attempt={attempt} eventId={delivery.event_id} url={webhook.url} />
        ))}
      </div>
    </Stack>
  );
}
