import { Checkbox, Text, TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type Exit, type FigureFilter, type Typed, typedOf, typedWords } from './backtest-fields.ts';
import styles from './backtest-form.module.css';
import { figureWords } from './backtest-words.ts';

/** Fields that belong together. */
export function Group(props: {
  title: string;
  description?: string;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <fieldset className={styles.group}>
      <legend>{props.title}</legend>
      {props.description && (
        <Text size="sm" c="dimmed" maw="44rem">
          {props.description}
        </Text>
      )}
      <div className={`${styles.fields} ${props.className ?? ''}`}>{props.children}</div>
    </fieldset>
  );
}

type Field<Value> = {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly error: string | undefined;
};

/** An instant, in the zone of the reader. */
export function TimeInput({ onChange, ...field }: Field<string> & { readonly label: string }) {
  return (
    <TextInput
      {...field}
      type="datetime-local"
      description="In your own time zone"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      // The default step of a minute would make a time with seconds invalid.
      step="any"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A number with its unit. What is no number stays as it was typed: the API says what is wrong with it. */
export function Amount({
  prefix = '',
  suffix = '',
  value,
  onChange,
  ...field
}: Field<Typed> & {
  readonly label: string;
  readonly prefix?: string;
  readonly suffix?: string;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly inputContainer?: NonNullable<TextInputProps['inputContainer']>;
}) {
  const [text, setText] = useState<string>();
  return (
    <TextInput
      inputMode="decimal"
      {...field}
      value={text ?? typedWords(value, prefix, suffix)}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(typedOf(currentTarget.value, prefix, suffix));
      }}
      onBlur={() => setText(undefined)}
    />
  );
}

/** A bound for a figure at the purchase; an empty field means no bound. */
export function FigureInput({ name, ...field }: Field<Typed> & { name: FigureFilter }) {
  return (
    <Amount
      label={figureWords[name]}
      placeholder="Any"
      {...(name !== 'min_holders' && { prefix: '$' })}
      {...field}
    />
  );
}

/** A market cap at which a backtest sells, with a switch that turns it off. */
export function ExitInput(props: {
  name: 'target' | 'stop';
  exit: Exit;
  onChange: (exit: Exit) => void;
  error: string | undefined;
}) {
  const { name, exit, onChange, error } = props;
  return (
    <Amount
      label={name === 'target' ? 'Target' : 'Stop'}
      suffix="×"
      disabled={!exit.on}
      value={exit.times}
      onChange={(times) => onChange({ ...exit, times })}
      error={error}
      // An error comes below the switch, so that the switch stays beside the other one.
      inputContainer={(input) => (
        <>
          {input}
          <Checkbox
            className={styles.below ?? ''}
            size="xs"
            label={`Sell at the ${name}`}
            checked={exit.on}
            onChange={({ currentTarget: { checked } }) => onChange({ ...exit, on: checked })}
          />
        </>
      )}
    />
  );
}
