import { Alert } from '@mantine/core';

/** What went wrong, if anything did; screen readers say it at once. */
export function Problem({ problem }: { problem: string | undefined }) {
  if (problem === undefined) return null;
  return (
    <Alert color="red" role="alert">
      {problem}
    </Alert>
  );
}
