import { Drawer, Group, Stack, Title } from '@mantine/core';
import type { FeedEvent } from '@sigcast/client';
import { Link } from 'wouter';
import { useData } from '../../api/use-answer.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Facts } from '../../ui/facts.tsx';
import { exactTime } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Mono } from '../../ui/mono.tsx';
import styles from './events.module.css';

/** One event, beside the feed. */
export function EventPanel(props: { id: string | undefined; onClose: () => void }) {
  return (
    <Drawer opened={props.id !== undefined} onClose={props.onClose} size="lg" title="Event">
      {props.id !== undefined && <Panel id={props.id} />}
    </Drawer>
  );
}

function Panel({ id }: { id: string }) {
  const event = useData((api, options) => api.events.get(id, options), { queryKey: ['event', id] });
  return <Loaded query={event}>{(data) => <Details event={data} />}</Loaded>;
}

function Details({ event: { id, ...body } }: { event: FeedEvent }) {
  return (
    <Stack>
      <Facts
        facts={[
          ['Event', <Mono key="event">{body.event}</Mono>],
          [
            'Signal',
            <Link key="signal" href={`/signals/${body.data.id}`}>
              <bdi>{body.data.token.symbol}</bdi>
            </Link>,
          ],
          ['Happened', exactTime(body.timestamp)],
        ]}
      />
      <LabelledCopyable text={id} label="webhook-id" />
      <LabelledCopyable
        text={`curl -H "authorization: Bearer $SIGCAST_API_KEY" ${location.origin}/v1/events/${id}`}
        label="Fetch it"
      />
      <section aria-label="Body">
        <Group justify="space-between" gap="sm">
          <Title order={2} size="h5">
            Body of a webhook
          </Title>
          <CopyButton text={JSON.stringify(body)}>Copy body</CopyButton>
        </Group>
        <pre className={styles.json}>{JSON.stringify(body, null, 2)}</pre>
      </section>
    </Stack>
  );
}
