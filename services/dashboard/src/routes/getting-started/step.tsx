import { Text, Title } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import styles from './getting-started.module.css';

/** What a step is told of its turn. `isNext`: whether it is the one to do next. */
export type Turn = { readonly done: boolean; readonly isNext: boolean };

/** One thing to do, and whether it is done. It unfolds when it is the next one. */
export function Step(
  props: Turn & {
    number: number;
    title: string;
    /** What it brings, in one line. */
    brings: string;
    children: ReactNode;
  },
) {
  const { isNext } = props;
  const [opened, setOpened] = useState(isNext);
  const [wasNext, setWasNext] = useState(isNext);
  if (isNext !== wasNext) {
    setWasNext(isNext);
    if (isNext) setOpened(true);
  }
  return (
    <li className={styles.step} data-done={props.done}>
      <details open={opened} onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
        <summary>
          <span className={styles.number} aria-hidden>
            {props.done ? <IconCheck size={14} stroke={3} /> : props.number}
          </span>
          <div className={styles.what}>
            <Title order={2} size="h4">
              {props.title}
            </Title>
            <Text component="span" size="sm" c="dimmed">
              {props.brings}
            </Text>
          </div>
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
