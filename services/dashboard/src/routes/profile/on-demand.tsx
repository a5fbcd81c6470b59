import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** A form that is shown when its button is pressed; its first field has the focus then, and the button again when it is closed. */
export function OnDemand(props: { verb: string; children: (close: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState<boolean>();
  if (isOpen) return <div ref={focusFirst}>{props.children(() => setOpen(false))}</div>;
  return (
    <Button variant="default" autoFocus={isOpen === false} onClick={() => setOpen(true)}>
      {props.verb}
    </Button>
  );
}

function focusFirst(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('input:not([hidden])')?.focus();
}
