import { Text } from '@mantine/core';
import type { DeliveryDetail, Webhook } from '@sigcast/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { queryKeys, useDelivery } from '../../api/queries.ts';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { exactTime } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Panel, PanelHead, PanelPart } from '../../ui/panel.tsx';
import { Attempt } from './attempt.tsx';
import { DeliveryBody } from './delivery-body.tsx';
import { DeliveryTag, NextAttempt } from './delivery-tag.tsx';
import { SendAgain } from './send-again.tsx';

/** One delivery with every attempt, beside the log. */
export function DeliveryPanel(props: { webhook: Webhook; id: string | undefined; onClose: () => void }) {
  return (
    <Panel kind="Delivery" opened={props.id !== undefined} onClose={props.onClose}>
      {props.id !== undefined && <Delivery key={props.id} webhook={props.webhook} id={props.id} />}
    </Panel>
  );
}

function Delivery({ webhook, id }: { webhook: Webhook; id: string }) {
  const delivery = useDelivery(webhook.id, id);
  useFreshLog(delivery.data);
  return <Loaded query={delivery}>{(data) => <Details webhook={webhook} delivery={data} />}</Loaded>;
}

/** The log behind has the same delivery: when an attempt has changed it here, the log is asked for again. */
function useFreshLog(delivery: DeliveryDetail | undefined): void {
  const queries = useQueryClient();
  const before = useRef<string>(undefined);
  const state = delivery && `${delivery.status} ${delivery.attempt_count}`;
  useEffect(() => {
    const isChange = before.current !== undefined && before.current !== state;
    before.current = state;
    if (isChange) void queries.invalidateQueries({ queryKey: queryKeys.deliveries });
  }, [queries, state]);
}

function Details({ webhook, delivery }: { webhook: Webhook; delivery: DeliveryDetail }) {
  const { body = null, event, symbol, signal_id: signal, next_attempt_at: next } = delivery;
  const sent = webhook.kind === 'webhook' ? body : null;
  const isCopied = sent !== null && delivery.attempts.some(({ request, batch }) => request && !batch);
  const newestFirst = [...delivery.attempts].reverse();
  return (
    <>
      <PanelHead
        name={event}
        line={
          <>
            <DeliveryTag delivery={delivery} />
            {next !== null && (
              <span>
                <NextAttempt at={next} />
              </span>
            )}
            {signal !== null && (
              <Link href={`/signals/${signal}`}>
                <bdi>{symbol ?? signal}</bdi>
              </Link>
            )}
            <span>{exactTime(delivery.created_at)}</span>
          </>
        }
      />
      <ForRole needs="developer">
        <SendAgain webhook={webhook} delivery={delivery} />
      </ForRole>
      <PanelPart title="Attempts">
        {isCopied && (
          <Text size="xs" c="dimmed" mt={12}>
            A copied curl command is valid for 5 minutes after its attempt. “Send again now” creates a new
            signature.
          </Text>
        )}
        {newestFirst.length === 0 && <p>The first attempt starts soon.</p>}
        {newestFirst.map((attempt) => (
          <Attempt key={`${attempt.number} ${attempt.started_at}`} attempt={attempt} body={sent} />
        ))}
      </PanelPart>
      <DeliveryBody body={body} />
      <LabelledCopyable text={delivery.event_id} label="webhook-id" />
    </>
  );
}
