import styles from './name.module.css';

/** What somebody chose to be called: of any length, script and direction. Two lines of it; all of it when it is pointed at. */
export function Name({ children }: { children: string }) {
  return (
    <bdi className={styles.name} title={children}>
      {children}
    </bdi>
  );
}
