import { Checkbox, NumberInput, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Exit, FigureFilter, Typed } from './backtest-fields.ts';
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

/** A number with its unit. */
export function Amount(
  field: Field<Typed> & {
    readonly label: string;
    readonly prefix?: string;
    readonly suffix?: string;
    readonly placeholder?: string;
    readonly disabled?: boolean;
  },
) {
  return <NumberInput thousandSeparator="," allowNegative={false} hideControls {...field} />;
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
    <div>
      <Amount
        label={name === 'target' ? 'Target' : 'Stop'}
        suffix="×"
        disabled={!exit.on}
        value={exit.times}
        onChange={(times) => onChange({ ...exit, times })}
        error={error}
      />
      <Checkbox
        className={styles.below ?? ''}
        size="xs"
        label={`Sell at the ${name}`}
        checked={exit.on}
        onChange={({ currentTarget: { checked } }) => onChange({ ...exit, on: checked })}
      />
    </div>
  );
}
