import { Button } from '@mantine/core';
import type { CreatedWebhook } from '@sigcast/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { queryKeys } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { Problem } from '../../ui/problem.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { type Choice, WebhookForm } from './webhook-form.tsx';
import { withWarnings } from './webhook-words.ts';

/** The form for a new webhook, which then shows its secret, if it has one, for the only time. */
export function AddWebhook(props: {
  opened: boolean;
  onClose: () => void;
  /** What is chosen at first. */
  initial?: Choice;
  onMade?: (webhook: CreatedWebhook) => void;
  /** Called when the secret was stored and is no longer shown, or when there is none; not where a test that was sent is opened. */
  onStored?: (webhook: CreatedWebhook) => void;
}) {
  const session = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [made, setMade] = useState<CreatedWebhook>();
  const [sent, setSent] = useState<{ readonly webhook: string; readonly delivery: string }>();
  const test = useAction(async () => {
    if (made === undefined) return;
    const { data } = await session.ask((api) => api.webhooks.test(made.id));
    setSent({ webhook: made.id, delivery: data.id });
  });
  const isSent = made !== undefined && sent?.webhook === made.id;
  return (
    <>
      <WebhookForm
        opened={props.opened}
        title="Add a webhook"
        verb="Add webhook"
        {...(props.initial && { initial: props.initial })}
        onClose={props.onClose}
        onSubmit={async ({ filter, ...fields }) => {
          const { data } = await session.ask((api) =>
            api.webhooks.create({ ...fields, ...(filter && { filter }) }),
          );
          tellDone(withWarnings('The webhook is added.', data));
          props.onMade?.(data);
          // A chat has no signing secret to be stored.
          if (data.secret === '') props.onStored?.(data);
          else setMade(data);
          void queries.invalidateQueries({ queryKey: queryKeys.webhooks });
        }}
      />
      <SecretOnce
        title="Your webhook’s signing secret"
        label="Signing secret"
        secret={made?.secret}
        onClose={() => {
          setMade(undefined);
          test.reset();
          if (made === undefined || props.onStored === undefined) return;
          if (sent?.webhook !== made.id) props.onStored(made);
          else navigate(`/webhooks/${made.id}?delivery=${encodeURIComponent(sent.delivery)}`);
        }}
      >
        <Problem problem={test.problem} />
        <Button variant="default" loading={test.pending} disabled={isSent} onClick={() => void test.run()}>
          {isSent ? 'Test sent' : 'Send test'}
        </Button>
      </SecretOnce>
    </>
  );
}
