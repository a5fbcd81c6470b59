import { Button, Text } from '@mantine/core';
import type { Delivery, Webhook } from '@sigcast/client';
import { IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { problemOf, useAction } from '../../api/use-action.ts';
import { Problem } from '../../ui/problem.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { nameOf } from './webhook-words.ts';

/** Sends a delivery once more, also while it waits for its next attempt. In a row the words about that are the button's title. */
export function SendAgain(props: { webhook: Webhook; delivery: Delivery; inRow?: boolean }) {
  const { webhook, delivery, inRow = false } = props;
  const session = useSession();
  const queries = useQueryClient();
  const retry = useAction(async () => {
    try {
      await session.ask((api) => api.webhooks.retryDelivery(webhook.id, delivery.id));
      tellDone('The delivery is being sent again.');
    } finally {
      // Also after a failure: the delivery may have changed meanwhile.
      await queries.invalidateQueries({ queryKey: queryKeys.deliveries });
    }
  });
  const why = whyNot(webhook, delivery);
  const words = why ?? consequence(delivery);
  if (inRow) {
    return (
      <>
        <Button
          size="compact-xs"
          variant="default"
          title={words}
          aria-label={`Send again to ${nameOf(webhook)}`}
          loading={retry.pending}
          disabled={why !== undefined}
          onClick={() => void retry.run()}
        >
          Send again
        </Button>
        {retry.problem !== undefined && (
          <Text role="alert" size="xs" c="red">
            {problemOf(retry.problem)}
          </Text>
        )}
      </>
    );
  }
  return (
    <div>
      <Problem problem={retry.problem} />
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} />}
        loading={retry.pending}
        disabled={why !== undefined}
        onClick={() => void retry.run()}
      >
        Send again now
      </Button>
      <Text size="xs" c="dimmed" mt={4}>
        {words}
      </Text>
    </div>
  );
}

/** Why a delivery can't be sent again now, as far as the page knows: only the API knows whether an attempt is under way. */
function whyNot(webhook: Webhook, { status }: Delivery): string | undefined {
  if (status !== 'pending' || webhook.status !== 'disabled') return undefined;
  return 'Waiting deliveries are sent when you resume the webhook.';
}

function consequence({ status }: Delivery): string {
  return status === 'pending'
    ? 'Makes the next attempt now. The remaining retries stay the same.'
    : 'Makes one more attempt with the same body and webhook-id. No retries follow.';
}
