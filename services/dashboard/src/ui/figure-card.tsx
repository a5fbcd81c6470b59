import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './figure-card.module.css';

/** A figure under its name. */
export function FigureCard(props: {
  name: string;
  /** Where the figure is defined. */
  anchor?: string;
  value: ReactNode;
  /** Why the figure is as it is, in a few words. */
  note?: string | undefined;
}) {
  const { name, anchor } = props;
  return (
    <div className={styles.card}>
      {anchor === undefined ? (
        <span className={styles.name}>{name}</span>
      ) : (
        <Link
          href={`/definitions#${anchor}`}
          className={`${styles.name} ${styles.defined}`}
          title="Show the definition"
        >
          {name}
        </Link>
      )}
      <span className={styles.value}>{props.value}</span>
      {props.note !== undefined && <span className={styles.note}>{props.note}</span>}
    </div>
  );
}
