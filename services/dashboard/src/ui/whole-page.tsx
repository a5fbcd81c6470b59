import { Button, Center, Loader, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAction } from '../api/use-action.ts';

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
  problem: string;
  retry: () => Promise<void>;
}) {
  const { above, problem, retry } = props;
  const again = useAction(retry);
  return (
    <Stack align="center" justify="center" mih="60vh" px="md" py="xl" role="alert">
      {above}
      <Text maw={420} ta="center">
        {problem}
      </Text>
      <Button variant="default" loading={again.pending} onClick={() => void again.run()}>
        Try again
      </Button>
    </Stack>
  );
}
