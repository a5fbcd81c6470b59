import type { ReactNode } from 'react';
import styles from './outdated.module.css';

/** Figures that are shown, dimmed, while those that were asked for instead are on their way. */
export function Outdated({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className={styles.outdated} aria-busy={busy}>
      {children}
    </div>
  );
}
