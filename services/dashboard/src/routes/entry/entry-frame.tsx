import { Alert, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ActionForm } from '../../ui/action-form.tsx';
import { Logo } from '../../ui/logo.tsx';
import { Motif } from '../../ui/motif.tsx';
import styles from './entry-frame.module.css';

function Frame({ footer, aside, children }: { footer: ReactNode; aside?: ReactNode; children: ReactNode }) {
  return (
    <main className={styles.page}>
      <div className={styles.column}>
        <a href="/" className="look-home">
          <Logo />
        </a>
        {children}
        <Text size="sm" c="dimmed">
          {footer}
        </Text>
      </div>
      <div className={styles.aside}>
        {aside}
        <div className={styles.picture}>
          <Motif />
          <Text size="sm" c="dimmed" mt="sm">
            A signal’s market cap from entry on: the band is when an order holds it, the tick its peak.
          </Text>
        </div>
      </div>
    </main>
  );
}

/** Something to read instead of a form. */
export function Notice(props: { title: string; footer: ReactNode; children: ReactNode }) {
  useDocumentTitle(`${props.title} · Sigcast`);
  return (
    <Frame footer={props.footer}>
      <Stack className={styles.form}>
        <Title order={1}>{props.title}</Title>
        {props.children}
      </Stack>
    </Frame>
  );
}

/** The frame of the pages to sign in and to sign up. */
export function EntryFrame(props: {
  title: string;
  notice?: string | undefined;
  problem: unknown;
  onSubmit: () => void;
  footer: ReactNode;
  /** Above the picture beside the form. */
  aside?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(`${props.title} · Sigcast`);
  return (
    <Frame footer={props.footer} aside={props.aside}>
      <ActionForm
        className={styles.form}
        intro={
          <>
            <Title order={1}>{props.title}</Title>
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
    </Frame>
  );
}
