import type { FeedEvent } from '@sigcast/client';
import { Link } from 'wouter';
import { useData } from '../../api/use-answer.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { exactTime } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Panel, PanelHead, PanelPart } from '../../ui/panel.tsx';
import { WebhookDeliveries } from '../signals/signal-deliveries.tsx';

/** One event with its deliveries, beside the feed. */
export function EventPanel(props: { id: string | undefined; onClose: () => void }) {
  return (
    <Panel kind="Event" opened={props.id !== undefined} onClose={props.onClose}>
      {props.id !== undefined && <Event id={props.id} />}
    </Panel>
  );
}

function Event({ id }: { id: string }) {
  const event = useData((api, options) => api.events.get(id, options), { queryKey: ['event', id] });
  return <Loaded query={event}>{(data) => <Details event={data} />}</Loaded>;
}

function Details({ event: { id, ...body } }: { event: FeedEvent }) {
  return (
    <>
      <PanelHead
        name={body.event}
        line={
          <>
            <Link href={`/signals/${body.data.id}`}>
              <bdi>{body.data.token.symbol}</bdi>
            </Link>
            <span>{exactTime(body.timestamp)}</span>
          </>
        }
      />
      <LabelledCopyable text={id} label="Event id, sent as webhook-id" />
      <PanelPart title="Deliveries">
        <WebhookDeliveries signal={body.data.id} event={id} />
      </PanelPart>
      <PanelPart
        title="Body of a webhook"
        label="Body"
        actions={<CopyButton text={JSON.stringify(body)}>Copy body</CopyButton>}
      >
        <Json text={JSON.stringify(body, null, 2)} />
      </PanelPart>
      <LabelledCopyable
        text={`curl -H "authorization: Bearer $SIGCAST_API_KEY" ${location.origin}/v1/events/${id}`}
        label="Fetch it"
      />
    </>
  );
}
