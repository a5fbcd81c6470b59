import { Anchor, Button, Stack, Text } from '@mantine/core';
import type { Webhook } from '@sigcast/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { stored, useHealth } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { Problem } from '../../ui/problem.tsx';
import { Step, Waiting } from './step.tsx';

const title = 'See the first delivery';

/** The last step: something reached the receiver and was answered with 200. */
export function DeliveredStep({ webhook }: { webhook: Webhook | undefined }) {
  if (webhook !== undefined) return <WithWebhook webhook={webhook} />;
  return (
    <Step number={4} title={title} done={false}>
      <Text size="sm">
        Once a webhook is added, the first signal, or a test that you send, shows up here.
      </Text>
    </Step>
  );
}

function WithWebhook({ webhook }: { webhook: Webhook }) {
  const session = useSession();
  const queries = useQueryClient();
  const deliveries = useHealth(webhook.id, { waiting: true });
  const delivered = deliveries.data?.some(({ status }) => status === 'delivered') ?? false;
  const failed = deliveries.data?.some(({ status }) => status === 'failed') ?? false;
  const test = useAction(async () => {
    await session.call('POST', `/v1/webhooks/${webhook.id}/test`);
    await queries.invalidateQueries({ queryKey: [...stored.deliveries, webhook.id] });
  });
  return (
    <Step number={4} title={title} done={delivered}>
      <Stack align="flex-start" gap="sm">
        <Text size="sm">
          {delivered
            ? 'Your receiver took one. Everything that is sent, with every attempt, is in the '
            : 'Wait for a signal, or send a test to your receiver. What is sent, and what it answered, is in the '}
          <Anchor component={Link} href={`/webhooks/${webhook.id}`}>
            log of the webhook
          </Anchor>
          .
        </Text>
        <Problem problem={test.problem} />
        <Button
          variant={delivered ? 'default' : 'filled'}
          loading={test.pending}
          onClick={() => void test.run()}
        >
          Send test
        </Button>
        {!delivered && (
          <Waiting>
            {failed ? 'The last one failed: see the log.' : 'Waiting for the first delivery …'}
          </Waiting>
        )}
      </Stack>
    </Step>
  );
}
