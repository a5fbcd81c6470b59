import { Alert, Anchor } from '@mantine/core';
import type { Delivery, Webhook } from '@sigcast/client';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { plural } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { adviceFor } from '../webhooks/advice.ts';
import { answerWords } from '../webhooks/health-words.ts';
import { Waiting } from './step.tsx';

/** The attempts of the first delivery until one succeeds: the result of each, and what to do about it. */
export function FirstAttempts({ webhook, refused }: { webhook: Webhook; refused: Delivery | undefined }) {
  const last = refused?.last_attempt;
  if (!refused || !last) {
    return <Waiting>Waiting for the first delivery …</Waiting>;
  }
  const href = `/webhooks/${webhook.id}?delivery=${encodeURIComponent(refused.id)}`;
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle />}
      role="status"
      w="100%"
      title={`${plural(refused.attempt_count, 'attempt')} failed: ${answerWords(last)}`}
    >
      {adviceFor(last)} {whatNext(refused)}{' '}
      <Anchor component={Link} href={href} inherit>
        Show the request and the answer
      </Anchor>
    </Alert>
  );
}

function whatNext({ status, next_attempt_at: next }: Delivery) {
  if (status === 'pending' && next !== null) {
    return (
      <>
        The next attempt is <Instant at={next} />.
      </>
    );
  }
  return 'No further attempts follow. Send a test when your receiver is ready.';
}
