import { Route, Switch } from 'wouter';
import { useAccount } from '../../api/session-context.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { AccountPage } from './account-page.tsx';
import { AccountsPage } from './accounts-page.tsx';
import { FailingWebhooksPage } from './failing-webhooks-page.tsx';
import { LogPage } from './log-page.tsx';
import { SystemPage } from './system-page.tsx';

/** The pages for operators. Everybody else sees that there is no such page. */
export default function OperatorPages() {
  const { operator } = useAccount();
  if (operator !== true) return <NotFoundPage />;
  return (
    <Switch>
      <Route path="/operator" component={AccountsPage} />
      <Route path="/operator/accounts/:id" component={AccountPage} />
      <Route path="/operator/webhooks" component={FailingWebhooksPage} />
      <Route path="/operator/system" component={SystemPage} />
      <Route path="/operator/log" component={LogPage} />
      <Route component={NotFoundPage} />
    </Switch>
  );
}
