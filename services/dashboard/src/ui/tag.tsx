import type { ReactNode } from 'react';
import styles from './tag.module.css';
import type { Tone } from './tone.ts';

/** A state in one word. The word says it; the colour only helps. */
export function Tag({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`${styles.tag} ${styles[tone]}`}>{children}</span>;
}
