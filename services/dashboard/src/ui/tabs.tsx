import { Link } from 'wouter';
import styles from './tabs.module.css';

/** A page that a tab leads to, and how many things it has, if that is said. */
export type Tab = { readonly to: string; readonly label: string; readonly count?: string };

/** Links to pages that belong together. */
export function Tabs(props: { label: string; tabs: readonly Tab[]; current: string }) {
  return (
    <nav className={styles.tabs} aria-label={props.label}>
      {props.tabs.map(({ to, label, count }) => (
        <Link
          key={to}
          href={to}
          className={styles.tab ?? ''}
          aria-current={to === props.current ? 'page' : undefined}
        >
          {label}
          {count !== undefined && (
            <>
              {' '}
              <span className={styles.count}>{count}</span>
            </>
          )}
        </Link>
      ))}
    </nav>
  );
}
