import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAction } from '../api/use-action.ts';
import { Logo } from './logo.tsx';
import { Problem } from './problem.tsx';

/** While nothing can be shown yet. */
export function LoadingPage() {
  return (
    <div className="starting" role="status" aria-label="Loading">
      <span />
    </div>
  );
}

/** The same before it is known who is there. index.html has it as well, for the time until the program is loaded. */
export function StartingPage() {
  return (
    <>
      <header className="look-header">
        <Logo />
      </header>
      <LoadingPage />
    </>
  );
}

/** When nothing can be shown at all. */
export function ProblemPage(props: {
  /** Shown above the problem when no navigation surrounds the page. */
  above?: ReactNode;
  problem: unknown;
  retry: () => Promise<void>;
}) {
  const { above, problem, retry } = props;
  const again = useAction(retry);
  return (
    <Stack align="center" justify="center" mih="60vh" px="md" py="xl">
      {above}
      <Problem problem={problem} busy={again.pending} onRetry={() => void again.run()} />
    </Stack>
  );
}
