import { lazy, Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { onConnectionChange } from '../api/connection.ts';
import { useSession, useSessionState } from '../api/session-context.tsx';
import { loadFile } from '../load-file.ts';
import { Logo } from '../ui/logo.tsx';
import { ProblemPage, StartingPage } from '../ui/whole-page.tsx';
import { ConfirmEntryPage } from './entry/confirm-entry-page.tsx';
import { SignInPage } from './entry/sign-in-page.tsx';
import { SignUpPage } from './entry/sign-up-page.tsx';
import { signedInFile } from './load-ahead.ts';
import { InvitationEntryPage } from './members/invitation-entry-page.tsx';

const SignedIn = lazy(() => loadFile(signedInFile));
const LinkPages = lazy(() => loadFile(() => import('./entry/link-pages.tsx')));

/** What {@link LinkPages} shows, whether or not somebody is signed in. */
const linkPaths: readonly string[] = ['/forgot-password', '/reset', '/sign-up/confirm'];

/** The page at each path, which depends on whether somebody is signed in. */
export function Routes() {
  const state = useSessionState();
  const [path] = useLocation();
  if (linkPaths.includes(path)) {
    return (
      <Suspense fallback={<StartingPage />}>
        <LinkPages />
      </Suspense>
    );
  }
  switch (state.status) {
    case 'starting':
      return <StartingPage />;
    case 'unreachable':
      return <Unreachable reason={state.reason} />;
    case 'signed-out':
      return <SignedOut path={path} />;
    case 'signed-in':
      return (
        <Suspense fallback={<StartingPage />}>
          <SignedIn />
        </Suspense>
      );
  }
}

/** For when it is not known whether somebody is signed in. Tries again as soon as the service answers. */
function Unreachable({ reason }: { reason: string }) {
  const session = useSession();
  useEffect(() => onConnectionChange((online) => void (online && session.start())), [session]);
  return <ProblemPage above={<Logo />} problem={reason} retry={() => session.start()} />;
}

function SignedOut({ path }: { path: string }) {
  const place = path + location.search + location.hash;
  const back = path === '/home' || path.startsWith('/sign-') ? '' : `?to=${encodeURIComponent(place)}`;
  return (
    <Switch>
      <Route path="/sign-in" component={SignInPage} />
      <Route path="/sign-up" component={SignUpPage} />
      <Route path="/invitation" component={InvitationEntryPage} />
      <Route path="/confirm" component={ConfirmEntryPage} />
      <Redirect to={`/sign-in${back}`} replace />
    </Switch>
  );
}
