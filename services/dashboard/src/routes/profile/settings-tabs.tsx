import { useLocation } from 'wouter';
import { useAccount } from '../../api/session-context.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';

const tabs: readonly Tab[] = [
  { to: '/profile', label: 'Profile' },
  { to: '/profile/security', label: 'Security' },
  { to: '/profile/members', label: 'Members' },
];
const activity: Tab = { to: '/profile/audit', label: 'Activity' };

/** The pages about the account and the people who act for it. Only owners see what happened. */
export function SettingsTabs() {
  const [path] = useLocation();
  const { role } = useAccount();
  return <Tabs label="Account" tabs={role === 'owner' ? [...tabs, activity] : tabs} current={path} />;
}
