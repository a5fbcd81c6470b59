import { Alert, Button, Modal, Stack } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Copyable } from './copyable.tsx';

/**
 * Shows a secret for the only time. Only its button closes it, so that nobody closes it by accident. The button that copies
 * has the focus: a key that is held too long presses that one.
 */
export function SecretOnce(props: {
  title: string;
  label: string;
  secret: string | undefined;
  onClose: () => void;
  /** What comes before its button. */
  children?: ReactNode;
}) {
  return (
    <Modal
      opened={props.secret !== undefined}
      onClose={props.onClose}
      title={props.title}
      size="lg"
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" icon={<IconEye />}>
          This is the only time you can see the secret. Copy the secret and store it where you keep passwords.
        </Alert>
        <Copyable text={props.secret ?? ''} label={props.label} focused />
        {props.children}
        <Button onClick={props.onClose}>I have stored it</Button>
      </Stack>
    </Modal>
  );
}
