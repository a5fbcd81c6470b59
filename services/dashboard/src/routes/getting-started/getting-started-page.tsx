import { Anchor, Button, SegmentedControl, Stack, Text } from '@mantine/core';
import type { CreatedWebhook } from '@sigcast/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { stored, useKeys, useWebhooks } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Page } from '../../ui/page.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { CreateKey } from '../profile/create-key.tsx';
import { WebhookForm } from '../webhooks/webhook-form.tsx';
import { DeliveredStep } from './delivered-step.tsx';
import { curlLine, nodeReceiver, pythonReceiver } from './snippets.ts';
import { Step, Waiting } from './step.tsx';

/** From nothing to a received webhook. Each step turns green when it really happened, wherever it was done. */
export default function GettingStartedPage() {
  const [key, setKey] = useState<string>();
  const [secret, setSecret] = useState<string>();
  const keys = useKeys({ waiting: true });
  const webhooks = useWebhooks();
  const hasKey = keys.data?.some(({ state }) => state === 'active') ?? false;
  const asked = keys.data?.some(({ last_used_at: at }) => at !== null) ?? false;
  const newest = webhooks.data?.[0];
  return (
    <Page
      title="Getting started"
      description="Four steps from nothing to signals that come to you. Each turns green when it happened."
    >
      <Stack component="ol" gap="md" p={0} m={0}>
        <KeyStep done={hasKey} made={key} onMade={setKey} />
        <Step number={2} title="Ask for signals" done={asked}>
          <Text size="sm" mb="sm">
            Run this in a terminal.{' '}
            {key === undefined && 'Put your key in the place of YOUR_KEY: it was shown when it was made.'}
          </Text>
          <Copyable text={curlLine(location.origin, key)} label="Command" />
          {!asked && hasKey && <Waiting>Waiting for the first request with a key …</Waiting>}
        </Step>
        <ReceiverStep done={newest !== undefined} secret={secret} onMade={setSecret} />
        <DeliveredStep webhook={newest} />
      </Stack>
      <Text size="sm" c="dimmed">
        All there is to know of the API is in its{' '}
        <Anchor href="/docs" target="_blank" rel="noreferrer">
          reference
        </Anchor>
        .
      </Text>
    </Page>
  );
}

function KeyStep(props: { done: boolean; made: string | undefined; onMade: (key: string) => void }) {
  const queries = useQueryClient();
  const [creating, setCreating] = useState(false);
  return (
    <Step number={1} title="Make an API key" done={props.done}>
      {props.made === undefined ? (
        <Stack align="flex-start" gap="sm">
          <Text size="sm">
            A key opens the API for your programs.{' '}
            {props.done && (
              <>
                You have one; all of them are in the{' '}
                <Anchor component={Link} href="/profile/api">
                  API settings
                </Anchor>
                .
              </>
            )}
          </Text>
          <Button variant={props.done ? 'default' : 'filled'} onClick={() => setCreating(true)}>
            {props.done ? 'Make another key' : 'Make a key'}
          </Button>
        </Stack>
      ) : (
        <Stack gap="sm">
          <Text size="sm">This is the only time it is shown. Keep it where you keep passwords.</Text>
          <Copyable text={props.made} label="API key" />
        </Stack>
      )}
      <CreateKey
        opened={creating}
        onClose={() => setCreating(false)}
        onMade={(key) => {
          props.onMade(key);
          void queries.invalidateQueries({ queryKey: stored.keys });
        }}
      />
    </Step>
  );
}

function ReceiverStep(props: {
  done: boolean;
  secret: string | undefined;
  onMade: (secret: string) => void;
}) {
  const session = useSession();
  const queries = useQueryClient();
  const [language, setLanguage] = useState('Node');
  const [adding, setAdding] = useState(false);
  const [shown, setShown] = useState<string>();
  const receiver = language === 'Node' ? nodeReceiver : pythonReceiver;
  return (
    <Step number={3} title="Receive webhooks" done={props.done}>
      <Stack gap="sm">
        <Text size="sm">
          This receiver checks that what comes in is from us and answers 200. Run it where the internet
          reaches it, then add its address. The secret that signs is shown when you do.
        </Text>
        <SegmentedControl
          size="xs"
          w="fit-content"
          aria-label="Language"
          data={['Node', 'Python']}
          value={language}
          onChange={setLanguage}
        />
        <Copyable text={receiver(props.secret)} label="Receiver" />
        <Button w="fit-content" variant={props.done ? 'default' : 'filled'} onClick={() => setAdding(true)}>
          {props.done ? 'Add another webhook' : 'Add webhook'}
        </Button>
      </Stack>
      <WebhookForm
        opened={adding}
        title="Add a webhook"
        verb="Add webhook"
        onClose={() => setAdding(false)}
        onSubmit={async (body) => {
          const { data } = await session.call<CreatedWebhook>('POST', '/v1/webhooks', { body });
          setShown(data.secret);
          props.onMade(data.secret);
          void queries.invalidateQueries({ queryKey: stored.webhooks });
        }}
      />
      <SecretOnce
        title="Your webhook’s signing secret"
        label="Signing secret"
        secret={shown}
        onClose={() => setShown(undefined)}
      />
    </Step>
  );
}
