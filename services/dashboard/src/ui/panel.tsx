import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './panel.module.css';
import { usePanelKeys } from './use-row-keys.ts';

/** One thing of a list, beside the list; j and k move on in the list. `kind` is what it is, such as `Delivery`. */
export function Panel(props: { kind: string; opened: boolean; onClose: () => void; children: ReactNode }) {
  return (
    <Drawer
      opened={props.opened}
      onClose={props.onClose}
      size="40rem"
      title={props.kind}
      classNames={{ header: styles.header ?? '', title: styles.kind ?? '', body: styles.body ?? '' }}
    >
      <Keys />
      {props.children}
    </Drawer>
  );
}

function Keys() {
  usePanelKeys();
  return null;
}

/** The head of what a panel shows: its name, and a line of what matters most of it. */
export function PanelHead(props: { name: ReactNode; line: ReactNode; actions?: ReactNode }) {
  return (
    <div className={styles.head}>
      <div className={styles.words}>
        <h3 className={styles.name}>{props.name}</h3>
        <p className={styles.line}>{props.line}</p>
      </div>
      {props.actions}
    </div>
  );
}

/** A part of a panel with a heading of its own. */
export function PanelPart(props: {
  title: string;
  label?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.part} aria-label={props.label ?? props.title}>
      <div className={styles.partHead}>
        <h4>{props.title}</h4>
        {props.actions}
      </div>
      {props.children}
    </section>
  );
}
