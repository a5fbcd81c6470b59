import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './definitions.module.css';

/** What a figure means, with its name in the dashboard and in the API. */
export function Definition(props: { id: string; name: string; field: string; children: ReactNode }) {
  return (
    <div className={styles.definition} id={props.id}>
      <div>
        <Title order={3} size="h6">
          {props.name}
        </Title>
        <span className={styles.field}>{props.field}</span>
      </div>
      <Text size="sm" component="div">
        {props.children}
      </Text>
    </div>
  );
}
