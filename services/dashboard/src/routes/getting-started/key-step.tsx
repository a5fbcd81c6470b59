import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { queryKeys } from '../../api/queries.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { CreateKey } from '../profile/create-key.tsx';
import { Step, type Turn } from './step.tsx';

/** The first step: a key. The command of the next step contains it as long as the page is not left. */
export function KeyStep(
  props: Turn & { hasKey: boolean; made: string | undefined; onMade: (key: string) => void },
) {
  const queries = useQueryClient();
  const [creating, setCreating] = useState(false);
  return (
    <Step
      number={1}
      title="Create an API key"
      brings="Lets your programs call the API."
      done={props.done}
      isNext={props.isNext}
    >
      {props.made === undefined ? (
        <Stack align="flex-start" gap="sm">
          <Text size="sm">
            {props.hasKey ? (
              <>
                You already have a key. All your keys are in the{' '}
                <Anchor component={Link} href="/profile/api">
                  API settings
                </Anchor>
                .
              </>
            ) : (
              'Your programs send the key with each request.'
            )}
          </Text>
          <ForRole needs="developer">
            <Button variant={props.hasKey ? 'default' : 'filled'} onClick={() => setCreating(true)}>
              {props.hasKey ? 'Create another API key' : 'Create API key'}
            </Button>
          </ForRole>
        </Stack>
      ) : (
        <Stack gap="sm">
          <Text size="sm">
            This is the only time your key is shown. Store the key where you keep passwords before you leave
            this page.
          </Text>
          <Copyable text={props.made} label="API key" />
        </Stack>
      )}
      <CreateKey
        {...(!props.hasKey && { firstName: 'My first key' })}
        opened={creating}
        onClose={() => setCreating(false)}
        onMade={(key) => {
          tellDone('The API key is created.');
          props.onMade(key);
          void queries.invalidateQueries({ queryKey: queryKeys.keys });
        }}
      />
    </Step>
  );
}
