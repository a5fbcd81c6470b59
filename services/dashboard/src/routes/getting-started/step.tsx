import { Text, Title } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import styles from './getting-started.module.css';

/** One thing to do, and whether it is done. What was done before the page was opened is folded. */
export function Step(props: { number: number; title: string; done: boolean; children: ReactNode }) {
  const [opened] = useState(!props.done);
  return (
    <li className={styles.step} data-done={props.done}>
      <details open={opened}>
        <summary>
          <span className={styles.number} aria-hidden>
            {props.done ? <IconCheck size={14} stroke={3} /> : props.number}
          </span>
          <Title order={2} size="h4">
            {props.title}
          </Title>
          {props.done && <span className={styles.done}>Done</span>}
          <IconChevronDown className={styles.chevron} size={14} aria-hidden />
        </summary>
        <div className={styles.body}>{props.children}</div>
      </details>
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
