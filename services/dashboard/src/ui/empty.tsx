import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './empty.module.css';

/** What is said where a list has nothing to show: why, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" component="div" maw={420}>
          {children}
        </Text>
      )}
    </div>
  );
}
