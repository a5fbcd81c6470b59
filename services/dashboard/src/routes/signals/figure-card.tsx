import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './figure-card.module.css';

/** A figure under its name; the name is a link to the figure's definition. */
export function FigureCard({ name, anchor, value }: { name: string; anchor: string; value: ReactNode }) {
  return (
    <div className={styles.card}>
      <Link href={`/definitions#${anchor}`} className={styles.cardName ?? ''} title="Show the definition">
        {name}
      </Link>
      <span className={styles.cardValue}>{value}</span>
    </div>
  );
}
