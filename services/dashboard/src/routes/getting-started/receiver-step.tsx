import { Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Copyable } from '../../ui/copyable.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { AddWebhook } from '../webhooks/add-webhook.tsx';
import styles from './getting-started.module.css';
import { nodeReceiver, pythonReceiver } from './snippets.ts';
import { Step, type Turn } from './step.tsx';

/** The third step: a receiver to copy, which contains the secret of the webhook that is added here. */
export function ReceiverStep(props: Turn & { onMade: () => void }) {
  const [language, setLanguage] = useState('Node');
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [shown, setShown] = useState(false);
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
          Add the public https address of your server, or that of a Slack, Discord or Telegram chat.
        </Text>
        <ForRole needs="developer">
          <Button
            w="fit-content"
            variant={props.isNext ? 'filled' : 'default'}
            onClick={() => setAdding(true)}
          >
            {props.done ? 'Add another webhook' : 'Add webhook'}
          </Button>
        </ForRole>
        <details
          className={styles.receiver}
          open={shown}
          onToggle={({ currentTarget }) => setShown(currentTarget.open)}
        >
          <summary>No server yet? Copy a receiver</summary>
          <Stack gap="sm" mt="sm">
            <Text size="sm">
              It verifies each request’s signature and answers 200. It listens on its own machine only: put a
              tunnel or reverse proxy with https in front of it.
              {secret === undefined && ' Its signing secret is filled in when you add the webhook.'}
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
          </Stack>
        </details>
      </Stack>
      <AddWebhook
        opened={adding}
        onClose={() => setAdding(false)}
        onMade={(webhook) => {
          if (webhook.secret !== '') {
            setSecret(webhook.secret);
            setShown(true);
          }
          props.onMade();
        }}
      />
    </Step>
  );
}
