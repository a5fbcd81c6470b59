import { Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Name } from './name.tsx';
import styles from './page.module.css';

/** A page's frame: its heading, its description and its actions. */
export function Page(props: {
  title: string;
  /** A link to the list that the page belongs to. */
  above?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Links to the pages beside it. They come first, so that they stay in one place. */
  tabs?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(`${props.title} · Sigcast`);
  return (
    <div className={styles.page}>
      {props.tabs}
      <header className={styles.header}>
        <div className={styles.words}>
          {props.above}
          <Title order={1}>
            <Name>{props.title}</Name>
          </Title>
          {props.description !== undefined && (
            <Text c="dimmed" size="sm" component="div" mt={4}>
              {props.description}
            </Text>
          )}
        </div>
        {props.actions !== undefined && <div className={styles.actions}>{props.actions}</div>}
      </header>
      {props.children}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Section(props: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** Without padding around its content, for tables. */
  flush?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={styles.section} aria-label={props.title}>
      <div className={styles.sectionHeader}>
        <div className={props.description === undefined ? styles.title : styles.words}>
          <Title order={2} size="h4">
            {props.title}
          </Title>
          {props.description !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {props.description}
            </Text>
          )}
        </div>
        {props.actions !== undefined && <div className={styles.actions}>{props.actions}</div>}
      </div>
      <div className={props.flush ? styles.flush : styles.body}>{props.children}</div>
    </section>
  );
}

/** Sections that each have their title at the left, and what can be set at the right. */
export function Settings({ children }: { children: ReactNode }) {
  return <div className={styles.settings}>{children}</div>;
}

/** Sections, and narrower ones beside them. Where these have no room, they come behind `first`, before the others. */
export function WithAside(props: {
  first?: ReactNode;
  aside: ReactNode;
  /** What is aside stays in view beside the others, and comes behind them where it has no room. */
  asideLast?: boolean;
  /** On a phone, the first section aside comes before all others. */
  leads?: boolean;
  children: ReactNode;
}) {
  const others = <div className={styles.others}>{props.children}</div>;
  return (
    <div
      className={`${styles.withAside} ${props.asideLast ? styles.asideLast : ''} ${props.leads ? styles.leads : ''}`}
    >
      {props.first !== undefined && <div className={styles.first}>{props.first}</div>}
      {props.asideLast && others}
      <div className={styles.aside}>{props.aside}</div>
      {!props.asideLast && others}
    </div>
  );
}

/** Two sections beside each other, where there is room. */
export function Pair({ children }: { children: ReactNode }) {
  return <div className={styles.pair}>{children}</div>;
}
