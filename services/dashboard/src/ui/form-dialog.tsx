import { Button, Group, Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import styles from './form-dialog.module.css';

/** A dialog with a form. Escape and the button at its top ask before they close one that has been changed. */
export function FormDialog(
  props: Pick<ModalProps, 'opened' | 'onClose' | 'size'> & { title: ReactNode; children: ReactNode },
) {
  const { opened, onClose, children, ...rest } = props;
  const form = useRef<HTMLDivElement>(null);
  const untouched = useRef('');
  const focused = useRef<Element>(null);
  const [isAsking, setAsking] = useState(false);
  const hold = useCallback((place: HTMLDivElement | null) => {
    form.current = place;
    if (place !== null) untouched.current = contentOf(place);
  }, []);
  useEffect(() => {
    if (!opened) setAsking(false);
  }, [opened]);
  const goOn = () => {
    setAsking(false);
    if (focused.current instanceof HTMLElement) focused.current.focus();
  };
  const close = () => {
    if (isAsking) return goOn();
    if (form.current === null || contentOf(form.current) === untouched.current) return onClose();
    focused.current = document.activeElement;
    setAsking(true);
  };
  return (
    <Modal opened={opened} onClose={close} {...rest}>
      <div ref={hold} data-asking={isAsking || undefined}>
        {children}
      </div>
      {isAsking && (
        <Group role="alertdialog" aria-label="Discard what you typed?" className={styles.question ?? ''}>
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

/** What is typed and chosen in the fields of a form, to be compared. */
function contentOf(form: HTMLElement): string {
  const fields = form.querySelectorAll<HTMLInputElement>('input, textarea, select');
  return JSON.stringify([...fields].map(({ value, checked }) => [value, checked]));
}
