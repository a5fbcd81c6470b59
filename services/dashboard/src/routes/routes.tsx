import { QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { onConnectionChange } from '../api/connection.ts';
import { createQueryClient } from '../api/query-client.ts';
import { useSession, useSessionState } from '../api/session-context.tsx';
import { loadFile } from '../load-file.ts';
import { Shell } from '../shell/shell.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { LoadingPage, ProblemPage } from '../ui/whole-page.tsx';
import { SignInPage } from './entry/sign-in-page.tsx';
import { SignUpPage } from './entry/sign-up-page.tsx';
import { HomePage } from './home-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';

/** Each page is a file of its own: what nobody opens is not loaded. */
const page = (load: () => Promise<{ default: ComponentType }>) => lazy(() => loadFile(load));

const pages: Readonly<Record<string, ComponentType>> = {
  '/': HomePage,
  '/getting-started': page(() => import('./getting-started/getting-started-page.tsx')),
  '/signals/:id?': page(() => import('./signals/signals-page.tsx')),
  '/webhooks': page(() => import('./webhooks/webhooks-page.tsx')),
  '/webhooks/:id': page(() => import('./webhooks/webhook-page.tsx')),
  '/usage': page(() => import('./usage/usage-page.tsx')),
  '/profile': page(() => import('./profile/profile-page.tsx')),
  '/profile/api': page(() => import('./profile/api-settings-page.tsx')),
  '/definitions': page(() => import('./definitions/definitions-page.tsx')),
  '/operator/*?': page(() => import('./operator/operator-pages.tsx')),
};

/** What is shown at each path, to whom. */
export function Routes() {
  const state = useSessionState();
  const [path] = useLocation();
  switch (state.status) {
    case 'starting':
      return <LoadingPage />;
    case 'unreachable':
      return <Unreachable reason={state.reason} />;
    case 'signed-out':
      return <SignedOut path={path} />;
    case 'signed-in':
      return (
        <OwnQueries key={state.account.id}>
          <Shell>
            <Boundary place={path}>
              <Suspense fallback={<LoadingPage />}>
                <SignedIn />
              </Suspense>
            </Boundary>
          </Shell>
        </OwnQueries>
      );
  }
}

/** Nothing is known of the session. Another try is made as soon as the service answers. */
function Unreachable({ reason }: { reason: string }) {
  const session = useSession();
  useEffect(() => onConnectionChange((online) => void (online && session.start())), [session]);
  return <ProblemPage problem={reason} retry={() => session.start()} />;
}

/** Answers are kept for one account only: for the next one everything below is made anew, with nothing kept. */
function OwnQueries({ children }: { children: ReactNode }) {
  const [queries] = useState(createQueryClient);
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}

function SignedOut({ path }: { path: string }) {
  const place = path + location.search + location.hash;
  const back = path === '/' || path.startsWith('/sign-') ? '' : `?to=${encodeURIComponent(place)}`;
  return (
    <Switch>
      <Route path="/sign-in" component={SignInPage} />
      <Route path="/sign-up" component={SignUpPage} />
      <Redirect to={`/sign-in${back}`} replace />
    </Switch>
  );
}

function SignedIn() {
  return (
    <Switch>
      {Object.entries(pages).map(([path, Page]) => (
        <Route key={path} path={path} component={Page} />
      ))}
      <Route path="/sign-in" component={AfterEntry} />
      <Route path="/sign-up" component={AfterEntry} />
      <Route component={NotFoundPage} />
    </Switch>
  );
}

/** Where somebody goes who has just signed in: to where they were going, if that is a path of ours. */
function AfterEntry() {
  const to = new URLSearchParams(location.search).get('to') ?? '/';
  return <Redirect to={/^\/(?![/\\])/.test(to) && !to.startsWith('/sign-') ? to : '/'} replace />;
}
