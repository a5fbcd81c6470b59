import { Button, Group, Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import form from './action-form.module.css';
import styles from './form-dialog.module.css';

/** A dialog with a form. Escape and the button at its top ask before they close one that has been changed. */
export function FormDialog(
  props: Pick<ModalProps, 'opened' | 'onClose' | 'size'> & { title: ReactNode; children: ReactNode },
) {
  const { opened, onClose, children, ...rest } = props;
  /** What had the focus when the question was asked; null while it is not. */
  const [left, setLeft] = useState<Element | null>(null);
  const isAsking = left !== null;
  /** Whether somebody typed something, and what was in each field at first: a choice in a list types nothing. */
  const isTouched = useRef(false);
  const untouched = useRef(new Map<Field, string>());
  const hold = useCallback((form: HTMLDivElement | null) => {
    if (form === null) return;
    isTouched.current = false;
    const fields = form.querySelectorAll<Field>('input, textarea, select');
    untouched.current = new Map([...fields].map((field) => [field, contentOf(field)]));
  }, []);
  useEffect(() => {
    if (!opened) setLeft(null);
  }, [opened]);
  useEffect(() => {
    if (!(left instanceof HTMLElement)) return;
    // When the form is shown again.
    return () => left.focus();
  }, [left]);
  const goOn = () => setLeft(null);
  const close = () => {
    if (isAsking) return goOn();
    const isChanged =
      isTouched.current || [...untouched.current].some(([field, content]) => contentOf(field) !== content);
    if (!isChanged) return onClose();
    setLeft(document.activeElement ?? document.body);
  };
  return (
    <Modal opened={opened} onClose={close} {...rest}>
      <div
        ref={hold}
        data-asking={isAsking || undefined}
        onChange={() => {
          isTouched.current = true;
        }}
      >
        {children}
      </div>
      {isAsking && (
        <Group
          role="alertdialog"
          aria-label="Discard what you typed?"
          className={form.footer ?? ''}
          justify="flex-end"
          mt="md"
        >
          <span className={styles.words}>Discard what you typed?</span>
          <Button variant="default" ref={focus} onClick={goOn}>
            Keep editing
          </Button>
          <Button color="red" onClick={onClose}>
            Discard
          </Button>
        </Group>
      )}
    </Modal>
  );
}

const focus = (button: HTMLButtonElement | null) => button?.focus({ preventScroll: true });

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** What is typed or chosen in a field, to be compared. */
function contentOf(field: Field): string {
  return JSON.stringify([field.value, field instanceof HTMLInputElement && field.checked]);
}
