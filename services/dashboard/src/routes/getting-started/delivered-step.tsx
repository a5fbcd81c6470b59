import { Anchor, Button, Stack, Text } from '@mantine/core';
import type { Delivery, Webhook } from '@sigcast/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { queryKeys } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { ForRole } from '../../ui/for-role.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Problem } from '../../ui/problem.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { FirstAttempts } from './first-attempts.tsx';
import { Step } from './step.tsx';
import type { useFirstDelivery } from './use-first-delivery.ts';

/** The last step: a delivery reached a receiver, which answered 200. */
export function DeliveredStep(props: {
  isNext: boolean;
  webhooks: readonly Webhook[];
  first: ReturnType<typeof useFirstDelivery>;
  done: boolean;
  onTest: () => void;
}) {
  const [newest] = props.webhooks;
  const { first, done } = props;
  return (
    <Step
      number={4}
      title="See the first delivery"
      brings="Shows that your receiver gets events and accepts them."
      done={done}
      isNext={props.isNext && !done}
    >
      {newest === undefined ? (
        <Text size="sm">
          Add a webhook first. The first signal, or a test that you send, then appears here.
        </Text>
      ) : (
        <Loaded query={first} lines={2}>
          {(found) => (
            <WithWebhook webhook={newest} delivered={done} refused={found.refused} onTest={props.onTest} />
          )}
        </Loaded>
      )}
    </Step>
  );
}

function WithWebhook(props: {
  webhook: Webhook;
  delivered: boolean;
  refused: Delivery | undefined;
  onTest: () => void;
}) {
  const { webhook, delivered } = props;
  const session = useSession();
  const queries = useQueryClient();
  const test = useAction(async () => {
    await session.ask((api) => api.webhooks.test(webhook.id));
    tellDone('The test is being sent.');
    props.onTest();
    await queries.invalidateQueries({ queryKey: queryKeys.deliveries });
  });
  return (
    <Stack align="flex-start" gap="sm">
      <Text size="sm">
        {delivered
          ? 'Your receiver answered 200. Every delivery with its attempts is in the '
          : 'Wait for a signal, or send a test to your receiver. Requests and answers are in the '}
        <Anchor component={Link} href={`/webhooks/${webhook.id}`}>
          delivery log of the webhook
        </Anchor>
        .
      </Text>
      <Problem problem={test.problem} />
      <ForRole needs="developer">
        <Button
          variant={delivered ? 'default' : 'filled'}
          loading={test.pending}
          onClick={() => void test.run()}
        >
          Send test
        </Button>
      </ForRole>
      {!delivered && <FirstAttempts webhook={webhook} refused={props.refused} />}
    </Stack>
  );
}
