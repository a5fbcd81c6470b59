import { Text, Title } from '@mantine/core';
import { Children, isValidElement, type ReactNode } from 'react';
import { Section } from '../../ui/page.tsx';
import styles from './definitions.module.css';

type DefinitionProps = {
  readonly id: string;
  readonly name: string;
  readonly field: string;
  readonly children: ReactNode;
};

/** What a figure means, with its name in the dashboard and in the API. */
export function Definition(props: DefinitionProps) {
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

/** A part of the page. Where there is room, its contents stay in view beside its definitions, which are its direct children. */
export function Definitions(props: { title: string; description?: ReactNode; children: ReactNode }) {
  const contents = Children.toArray(props.children).flatMap((child) =>
    isValidElement<DefinitionProps>(child) ? [child.props] : [],
  );
  return (
    <Section
      title={props.title}
      description={
        <>
          {props.description}
          <ul className={styles.contents}>
            {contents.map(({ id, name }) => (
              <li key={id}>
                <a href={`#${id}`}>{name}</a>
              </li>
            ))}
          </ul>
        </>
      }
    >
      {props.children}
    </Section>
  );
}
