import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';

const tabs = [
  { to: '/operator', label: 'Accounts' },
  { to: '/operator/webhooks', label: 'Failing webhooks' },
  { to: '/operator/system', label: 'System' },
  { to: '/operator/log', label: 'Log' },
] as const;

/** The tab that a page belongs to: the page of one account belongs to Accounts. */
const tabOf = (path: string) => (path.startsWith('/operator/accounts/') ? '/operator' : path);

/** A page for operators, with links to the other pages for operators. */
export function OperatorFrame(props: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const [path] = useLocation();
  return <Page {...props} tabs={<Tabs label="Operator pages" tabs={tabs} current={tabOf(path)} />} />;
}
