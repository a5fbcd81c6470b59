import { Fragment } from 'react';
import { Link, useLocation } from 'wouter';
import { useAccount } from '../api/session-context.tsx';
import styles from './navigation.module.css';
import { elsewhere, groups, operatorGroup } from './places.ts';

/** Links to all pages; in the panel of a phone, whose header has no room for them, also to those outside of the dashboard. */
export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const [path] = useLocation();
  const { operator } = useAccount();
  return (
    <nav className={styles.nav} aria-label="Pages">
      {[...groups, ...(operator === true ? [operatorGroup] : [])].map(({ title, places }) => (
        <Fragment key={title ?? ''}>
          {title !== undefined && <p className={styles.group}>{title}</p>}
          {places.map(({ to, label, Icon }) => {
            const here = path === to || path.startsWith(`${to}/`);
            return (
              <Link
                key={to}
                href={to}
                className={styles.link ?? ''}
                aria-current={here ? 'page' : undefined}
                onClick={() => onNavigate?.()}
              >
                <Icon size={16} stroke={1.6} aria-hidden />
                {label}
              </Link>
            );
          })}
        </Fragment>
      ))}
      {onNavigate !== undefined && (
        <>
          <p className={styles.group}>Elsewhere</p>
          {elsewhere.map(({ to, label }) => (
            <a key={to} href={to} className={styles.link} target="_blank" rel="noreferrer">
              {label}
            </a>
          ))}
        </>
      )}
    </nav>
  );
}
