import { Alert, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ActionForm } from '../../ui/action-form.tsx';
import { Logo } from '../../ui/logo.tsx';
import styles from './entry-frame.module.css';

/** Something to read instead of a form. */
export function Notice(props: { title: string; footer: ReactNode; children: ReactNode }) {
  useDocumentTitle(`${props.title} · Sigcast`);
  return (
    <main className={styles.page}>
      <a className={styles.home} href="/">
        <Logo />
      </a>
      <Stack className={styles.form}>
        <Title order={1} size="h3">
          {props.title}
        </Title>
        {props.children}
      </Stack>
      <Text size="sm" c="dimmed">
        {props.footer}
      </Text>
    </main>
  );
}

/** The frame of the pages to sign in and to sign up. */
export function EntryFrame(props: {
  title: string;
  notice?: string | undefined;
  problem: string | undefined;
  onSubmit: () => void;
  footer: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(`${props.title} · Sigcast`);
  return (
    <main className={styles.page}>
      <a className={styles.home} href="/">
        <Logo />
      </a>
      <ActionForm
        className={styles.form}
        intro={
          <>
            <Title order={1} size="h3">
              {props.title}
            </Title>
            {props.notice !== undefined && props.problem === undefined && (
              <Alert color="blue" role="status">
                {props.notice}
              </Alert>
            )}
          </>
        }
        problem={props.problem}
        onSubmit={props.onSubmit}
      >
        {props.children}
      </ActionForm>
      <Text size="sm" c="dimmed">
        {props.footer}
      </Text>
    </main>
  );
}
