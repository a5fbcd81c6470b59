import { Center, Loader, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAction } from '../api/use-action.ts';
import { Problem } from './problem.tsx';

/** While nothing can be shown yet. */
export function LoadingPage() {
  return (
    <Center mih="60vh" role="status" aria-label="Loading">
      <Loader size="sm" />
    </Center>
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
