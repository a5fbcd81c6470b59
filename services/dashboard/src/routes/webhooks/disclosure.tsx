import type { ReactNode } from 'react';
import styles from './delivery.module.css';

/** Something that is read by few: a line that opens it. */
export function Disclosure(props: { title: string; opened?: boolean; children: ReactNode }) {
  return (
    <details className={styles.disclosure} open={props.opened ?? false}>
      <summary>{props.title}</summary>
      {props.children}
    </details>
  );
}
