import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { stored } from '../../api/queries.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { CreateKey } from '../profile/create-key.tsx';
import { Step } from './step.tsx';

/** The first step: a key, which the next one has filled in as long as the page is there. */
export function KeyStep(props: {
  done: boolean;
  hasKey: boolean;
  made: string | undefined;
  onMade: (key: string) => void;
  onStored: () => void;
}) {
  const queries = useQueryClient();
  const [creating, setCreating] = useState(false);
  const [shown, setShown] = useState<string>();
  return (
    <Step number={1} title="Make an API key" done={props.done}>
      {props.made === undefined ? (
        <Stack align="flex-start" gap="sm">
          <Text size="sm">
            A key opens the API for your programs.{' '}
            {props.hasKey && (
              <>
                You have one; all of them are in the{' '}
                <Anchor component={Link} href="/profile/api">
                  API settings
                </Anchor>
                .
              </>
            )}
          </Text>
          <Button variant={props.hasKey ? 'default' : 'filled'} onClick={() => setCreating(true)}>
            {props.hasKey ? 'Make another key' : 'Make a key'}
          </Button>
        </Stack>
      ) : (
        <Stack gap="sm">
          <Text size="sm">
            This is shown until you leave the page, and never again. Keep it where you keep passwords.
          </Text>
          <Copyable text={props.made} label="API key" />
        </Stack>
      )}
      <CreateKey
        opened={creating}
        onClose={() => setCreating(false)}
        onMade={(key) => {
          setShown(key);
          props.onMade(key);
          void queries.invalidateQueries({ queryKey: stored.keys });
        }}
      />
      <SecretOnce
        title="Your new API key"
        label="API key"
        secret={shown}
        onClose={() => {
          setShown(undefined);
          props.onStored();
        }}
      />
    </Step>
  );
}
