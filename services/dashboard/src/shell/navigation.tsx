import {
  IconActivity,
  IconBook2,
  IconChartBar,
  IconExternalLink,
  IconFlask,
  IconKey,
  IconListDetails,
  IconRocket,
  IconShieldCog,
  IconWebhook,
} from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { useAccount } from '../api/session-context.tsx';
import styles from './navigation.module.css';

type Place = { readonly to: string; readonly label: string; readonly Icon: typeof IconKey };

const places: readonly Place[] = [
  { to: '/getting-started', label: 'Getting started', Icon: IconRocket },
  { to: '/signals', label: 'Signals', Icon: IconActivity },
  { to: '/backtests', label: 'Backtests', Icon: IconFlask },
  { to: '/webhooks', label: 'Webhooks', Icon: IconWebhook },
  { to: '/usage', label: 'Usage', Icon: IconChartBar },
  { to: '/requests', label: 'Requests', Icon: IconListDetails },
  { to: '/profile/api', label: 'API settings', Icon: IconKey },
];
/** For accounts that are marked as operators. */
const operatorPlaces: readonly Place[] = [{ to: '/operator', label: 'Operator', Icon: IconShieldCog }];

/** Links to all pages. */
export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const [path] = useLocation();
  const { operator } = useAccount();
  return (
    <nav className={styles.nav} aria-label="Pages">
      {[...places, ...(operator === true ? operatorPlaces : [])].map(({ to, label, Icon }) => {
        const here = path === to || path.startsWith(`${to}/`);
        return (
          <Link
            key={to}
            href={to}
            className={styles.link ?? ''}
            aria-current={here ? 'page' : undefined}
            onClick={() => onNavigate?.()}
          >
            <Icon size={18} stroke={1.7} aria-hidden />
            {label}
          </Link>
        );
      })}
      <a className={styles.link} href="/docs" target="_blank" rel="noreferrer">
        <IconBook2 size={18} stroke={1.7} aria-hidden />
        Documentation
        <IconExternalLink size={14} className={styles.aside ?? ''} aria-label="(opens a new tab)" />
      </a>
    </nav>
  );
}
