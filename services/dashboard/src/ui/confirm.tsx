import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAction } from '../api/use-action.ts';

/** Asks before something that can't be taken back, and says what will happen. */
export function Confirm(props: {
  opened: boolean;
  title: string;
  /** The button's words: what it does, not "OK". */
  verb: string;
  work: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}) {
  const action = useAction(props.work);
  const confirm = async () => {
    if (await action.run()) close();
  };
  const close = () => {
    action.reset();
    props.onClose();
  };
  return (
    <Modal opened={props.opened} onClose={close} title={props.title}>
      <Stack>
        <Text component="div" size="sm">
          {props.children}
        </Text>
        {action.problem !== undefined && (
          <Alert color="red" role="alert">
            {action.problem}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button color="red.8" loading={action.pending} onClick={() => void confirm()}>
            {props.verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
