import type { ReactNode } from 'react';
import styles from './outdated.module.css';

/** What is shown, dimmed, while what was asked for instead is on its way. */
export function Outdated({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className={styles.outdated} aria-busy={busy}>
      {children}
    </div>
  );
}
