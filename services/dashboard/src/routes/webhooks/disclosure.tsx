import type { ReactNode } from 'react';
import styles from './delivery.module.css';

/** A line that opens details which few people need. */
export function Disclosure(props: { title: string; opened?: boolean; children: ReactNode }) {
  return (
    <details className={styles.disclosure} open={props.opened ?? false}>
      <summary>{props.title}</summary>
      {props.children}
    </details>
  );
}
