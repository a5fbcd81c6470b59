import { MantineProvider } from '@mantine/core';
import type { Session } from './api/session.ts';
import { SessionProvider } from './api/session-context.tsx';
import { Routes } from './routes/routes.tsx';
import { theme } from './theme.ts';
import { Boundary } from './ui/boundary.tsx';

/** The whole page. */
export function App({ session }: { session: Session }) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <Boundary>
        <SessionProvider value={session}>
          <Routes />
        </SessionProvider>
      </Boundary>
    </MantineProvider>
  );
}
