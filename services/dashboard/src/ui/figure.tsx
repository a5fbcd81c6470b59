import { Text } from '@mantine/core';
import { count } from './format.ts';

/** A count in a table, which stands back where it is 0. */
export function Figure({ of }: { of: number }) {
  return of === 0 ? (
    <Text span inherit c="dimmed">
      0
    </Text>
  ) : (
    count(of)
  );
}
