import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { createQueryClient } from './api/query-client.ts';
import type { Session } from './api/session.ts';
import { SessionProvider } from './api/session-context.tsx';
import { Routes } from './routes/routes.tsx';
import { theme } from './theme.ts';
import { Boundary } from './ui/boundary.tsx';

/** The whole page. */
export function App({ session }: { session: Session }) {
  const [queries] = useState(createQueryClient);
  // What one account has seen is not the next one's.
  useEffect(
    () => session.subscribe(() => session.state.status === 'signed-out' && queries.clear()),
    [session, queries],
  );
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <Notifications position="bottom-right" />
      <Boundary>
        <QueryClientProvider client={queries}>
          <SessionProvider value={session}>
            <Routes />
          </SessionProvider>
        </QueryClientProvider>
      </Boundary>
    </MantineProvider>
  );
}
