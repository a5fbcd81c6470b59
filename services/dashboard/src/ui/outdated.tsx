import type { ReactNode } from 'react';
import styles from './outdated.module.css';

/** Data that is dimmed while other data is loading to replace it. */
export function Outdated({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className={styles.outdated} aria-busy={busy}>
      {children}
    </div>
  );
}
