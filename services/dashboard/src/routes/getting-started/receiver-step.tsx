import { Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Copyable } from '../../ui/copyable.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { AddWebhook } from '../webhooks/add-webhook.tsx';
import { nodeReceiver, pythonReceiver } from './snippets.ts';
import { Step, type Turn } from './step.tsx';

/** The third step: a receiver to copy, which contains the secret of the webhook that is added here. */
export function ReceiverStep(props: Turn & { onMade: () => void }) {
  const [language, setLanguage] = useState('Node');
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const receiver = language === 'Node' ? nodeReceiver : pythonReceiver;
  return (
    <Step
      number={3}
      title="Receive webhooks"
      brings="Gets each signal to your own server as it happens."
      done={props.done}
      isNext={props.isNext}
    >
      <Stack gap="sm">
        <Text size="sm">
          This receiver verifies each request’s signature and answers 200. It listens on its own machine only:
          put a tunnel or reverse proxy with https in front of it, then add the public address here. The
          signing secret is filled in when you do.
        </Text>
        <SegmentedControl
          size="xs"
          w="fit-content"
          aria-label="Language"
          data={['Node', 'Python']}
          value={language}
          onChange={setLanguage}
        />
        <Copyable text={receiver(secret)} label="Receiver" />
        <ForRole needs="developer">
          <Button
            w="fit-content"
            variant={props.isNext ? 'filled' : 'default'}
            onClick={() => setAdding(true)}
          >
            {props.done ? 'Add another webhook' : 'Add webhook'}
          </Button>
        </ForRole>
      </Stack>
      <AddWebhook
        opened={adding}
        onClose={() => setAdding(false)}
        onMade={(webhook) => {
          if (webhook.secret !== '') setSecret(webhook.secret);
          props.onMade();
        }}
      />
    </Step>
  );
}
