import { Text } from '@mantine/core';
import { useAccount } from '../api/session-context.tsx';

/** Says, once for all pages, why there is nothing to change on them. */
export function Viewer() {
  const { role, email } = useAccount();
  if (role !== 'viewer') return null;
  return (
    <Text size="sm" c="dimmed" role="note" mb="md">
      You are a viewer in the account of {email}: you read, and change nothing. An owner can give you another
      role.
    </Text>
  );
}
