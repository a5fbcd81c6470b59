import type { ReactNode } from 'react';
import styles from './tag.module.css';

export type Tone = 'good' | 'bad' | 'info' | 'neutral';

/** A state in one word. The word says it; the colour only helps. */
export function Tag({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`${styles.tag} ${styles[tone]}`}>{children}</span>;
}
