import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** What is said where a list has nothing to show: why, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Stack align="center" gap={6} px="lg" py={40} ta="center">
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" component="div" maw={420}>
          {children}
        </Text>
      )}
    </Stack>
  );
}
