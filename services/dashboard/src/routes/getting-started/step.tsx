import { Text, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './getting-started.module.css';

/** One thing to do, and whether it is done. */
export function Step(props: { number: number; title: string; done: boolean; children: ReactNode }) {
  return (
    <li className={styles.step} data-done={props.done}>
      <span className={styles.number} aria-hidden>
        {props.done ? <IconCheck size={18} stroke={3} /> : props.number}
      </span>
      <div className={styles.body}>
        <Title order={2} size="h4" mb="xs">
          {props.title} {props.done && <span className={styles.done}>Done</span>}
        </Title>
        {props.children}
      </div>
    </li>
  );
}

/** Says that the page waits for something to happen. */
export function Waiting({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed" mt="sm" role="status">
      {children}
    </Text>
  );
}
