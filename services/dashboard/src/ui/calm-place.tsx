import { Button } from '@mantine/core';
import type { KeyboardEventHandler, ReactNode, Ref } from 'react';
import styles from './calm-place.module.css';
import { plural } from './format.ts';
import type { Calm } from './use-calm-rows.ts';

/** Of the list while somebody goes through it by keyboard. */
const byKeyboard = ':has(:focus-visible)';

/** The place of a list whose rows keep their places while they are read. `kind`: what waits, such as `new signal`. */
export function CalmPlace(props: {
  calm: Calm;
  kind: string;
  ref?: Ref<HTMLDivElement>;
  onKeyDown?: KeyboardEventHandler;
  children: ReactNode;
}) {
  const { waiting, hold, release } = props.calm;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move the focus between the links within.
    <div
      ref={props.ref}
      className={styles.calm}
      onPointerEnter={hold}
      onPointerLeave={({ currentTarget }) => {
        if (!currentTarget.matches(byKeyboard)) release();
      }}
      onFocus={({ currentTarget }) => {
        if (currentTarget.matches(byKeyboard)) hold();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget) && !currentTarget.matches(':hover')) release();
      }}
      onKeyDown={props.onKeyDown}
    >
      {waiting > 0 && (
        <Button className={styles.waiting ?? ''} size="compact-xs" onClick={release}>
          {plural(waiting, props.kind)}
        </Button>
      )}
      {props.children}
    </div>
  );
}
