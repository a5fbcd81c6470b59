import { Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAction } from '../api/use-action.ts';
import { DialogForm } from './action-form.tsx';

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
      <DialogForm
        intro={
          <Text component="div" size="sm">
            {props.children}
          </Text>
        }
        action={action}
        verb={props.verb}
        color="red"
        onSubmit={() => void confirm()}
        onClose={close}
      />
    </Modal>
  );
}
