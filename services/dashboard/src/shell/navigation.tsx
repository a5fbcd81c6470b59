import {
  IconActivity,
  IconChartBar,
  IconFlask,
  IconKey,
  IconListDetails,
  IconRocket,
  IconShieldCog,
  IconWebhook,
} from '@tabler/icons-react';
import { Fragment } from 'react';
import { Link, useLocation } from 'wouter';
import { useAccount } from '../api/session-context.tsx';
import styles from './navigation.module.css';

type Place = { readonly to: string; readonly label: string; readonly Icon: typeof IconKey };

type Group = { readonly title?: string; readonly places: readonly Place[] };

const groups: readonly Group[] = [
  {
    places: [
      { to: '/getting-started', label: 'Getting started', Icon: IconRocket },
      { to: '/signals', label: 'Signals', Icon: IconActivity },
      { to: '/backtests', label: 'Backtests', Icon: IconFlask },
      { to: '/webhooks', label: 'Webhooks', Icon: IconWebhook },
    ],
  },
  {
    title: 'API',
    places: [
      { to: '/usage', label: 'Usage', Icon: IconChartBar },
      { to: '/requests', label: 'Requests', Icon: IconListDetails },
      { to: '/profile/api', label: 'API settings', Icon: IconKey },
    ],
  },
];
/** For accounts that are marked as operators. */
const operatorGroup: Group = {
  title: 'System',
  places: [{ to: '/operator', label: 'Operator', Icon: IconShieldCog }],
};

/** Links to all pages. */
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
    </nav>
  );
}
