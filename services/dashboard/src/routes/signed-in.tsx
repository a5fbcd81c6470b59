import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { createQueryClient } from '../api/query-client.ts';
import { useAccount } from '../api/session-context.tsx';
import { loadFile } from '../load-file.ts';
import { Shell } from '../shell/shell.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { LoadingPage } from '../ui/whole-page.tsx';
import { afterEntry } from './entry/after-entry.ts';
import { HomePage } from './home-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { pageFiles } from './page-files.ts';

const pages: readonly (readonly [string, ComponentType])[] = Object.entries(pageFiles).map(
  ([path, load]) => [path, lazy(() => loadFile(load))] as const,
);

/**
 * The pages for somebody signed in. When another account signs in, everything below is created anew, with an empty query
 * cache.
 */
export default function SignedIn() {
  const { id } = useAccount();
  return <OfAccount key={id} />;
}

function OfAccount() {
  const [queries] = useState(createQueryClient);
  const [path] = useLocation();
  return (
    <QueryClientProvider client={queries}>
      <Notifications position="bottom-right" />
      <Shell>
        <Boundary place={path}>
          <Suspense fallback={<LoadingPage />}>
            <Switch>
              <Route path="/home" component={HomePage} />
              {pages.map(([pattern, Page]) => (
                <Route key={pattern} path={pattern} component={Page} />
              ))}
              <Route path="/sign-in" component={AfterEntry} />
              <Route path="/sign-up" component={AfterEntry} />
              <Route component={NotFoundPage} />
            </Switch>
          </Suspense>
        </Boundary>
      </Shell>
    </QueryClientProvider>
  );
}

function AfterEntry() {
  return <Redirect to={afterEntry()} replace />;
}
