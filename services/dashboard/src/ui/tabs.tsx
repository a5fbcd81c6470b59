import { Link } from 'wouter';
import styles from './tabs.module.css';

/** A page that a tab leads to. */
export type Tab = { readonly to: string; readonly label: string };

/** Links to pages that belong together. */
export function Tabs(props: { label: string; tabs: readonly Tab[]; current: string }) {
  return (
    <nav className={styles.tabs} aria-label={props.label}>
      {props.tabs.map(({ to, label }) => (
        <Link
          key={to}
          href={to}
          className={styles.tab ?? ''}
          aria-current={to === props.current ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
