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
    <Step number={3} title="Receive webhooks" done={props.done} isNext={props.isNext}>
      <Stack gap="sm">
        <Text size="sm">
          This receiver verifies the signature of each request and answers 200. The receiver listens on its
          own machine only. Put a reverse proxy or a tunnel with https in front of the receiver, then add the
          public address. You see the signing secret when you add the address.
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
