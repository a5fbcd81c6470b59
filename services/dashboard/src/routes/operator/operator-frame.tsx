import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Page } from '../../ui/page.tsx';
import styles from './operator.module.css';

const places = [
  { to: '/operator', label: 'Accounts' },
  { to: '/operator/webhooks', label: 'Failing webhooks' },
  { to: '/operator/system', label: 'System' },
  { to: '/operator/log', label: 'Log' },
] as const;

/** The tab that a page belongs to: the page of one account belongs to Accounts. */
const placeOf = (path: string) => (path.startsWith('/operator/accounts/') ? '/operator' : path);

/** A page for operators, with links to the other pages for operators. */
export function OperatorFrame(props: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const [path] = useLocation();
  return (
    <Page {...props}>
      <nav className={styles.places} aria-label="Operator pages">
        {places.map(({ to, label }) => (
          <Link
            key={to}
            href={to}
            className={styles.place ?? ''}
            aria-current={placeOf(path) === to ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {props.children}
    </Page>
  );
}
