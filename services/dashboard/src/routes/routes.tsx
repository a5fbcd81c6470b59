import { QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { createQueryClient } from '../api/query-client.ts';
import { useSession, useSessionState } from '../api/session-context.tsx';
import { Shell } from '../shell/shell.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { LoadingPage, ProblemPage } from '../ui/whole-page.tsx';
import { SignInPage } from './entry/sign-in-page.tsx';
import { SignUpPage } from './entry/sign-up-page.tsx';
import { HomePage } from './home-page.tsx';

/** Each page is a file of its own: what nobody opens is not loaded. */
const pages: Readonly<Record<string, ComponentType>> = {
  '/': HomePage,
  '/getting-started': lazy(() => import('./getting-started/getting-started-page.tsx')),
  '/signals/:id?': lazy(() => import('./signals/signals-page.tsx')),
  '/webhooks': lazy(() => import('./webhooks/webhooks-page.tsx')),
  '/webhooks/:id': lazy(() => import('./webhooks/webhook-page.tsx')),
  '/usage': lazy(() => import('./usage/usage-page.tsx')),
  '/profile': lazy(() => import('./profile/profile-page.tsx')),
  '/profile/api': lazy(() => import('./profile/api-settings-page.tsx')),
  '/definitions': lazy(() => import('./definitions/definitions-page.tsx')),
};

/** What is shown at each path, to whom. */
export function Routes() {
  const state = useSessionState();
  const session = useSession();
  const [path] = useLocation();
  switch (state.status) {
    case 'starting':
      return <LoadingPage />;
    case 'unreachable':
      return <ProblemPage problem={state.reason} retry={() => session.start()} />;
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
      <Redirect to={afterEntry()} replace />
    </Switch>
  );
}

/** Where somebody goes who has just signed in: to where they were going, if that is a path of ours. */
function afterEntry(): string {
  const to = new URLSearchParams(location.search).get('to') ?? '/';
  return /^\/(?![/\\])/.test(to) && !to.startsWith('/sign-') ? to : '/';
}
