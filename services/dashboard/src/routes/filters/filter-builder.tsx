import {
  ActionIcon,
  Button,
  Group,
  Select,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import styles from './filter-builder.module.css';
import {
  type Filter,
  fieldOf,
  filterIn,
  filterOf,
  filterPaths,
  operatorsFor,
  operatorWords,
  type Row,
  rowsOf,
  takesSeveral,
  withField,
} from './filter-rows.ts';
import { FilterTrial } from './filter-trial.tsx';

const yesOrNo = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
];

/**
 * Conditions on signals, as rows or as JSON, with how many past events meet them. `onChange` gets undefined while a condition is
 * not complete.
 */
export function FilterBuilder(props: {
  initial: Filter | null;
  description: string;
  /** The fields to choose from. Default: those of an event's signal. */
  paths?: readonly string[];
  /** Which events the count is of. */
  events: readonly string[];
  types: readonly string[];
  onChange: (filter: Filter | null | undefined) => void;
}) {
  const firstRows = rowsOf(props.initial);
  const [rows, setRows] = useState<readonly Row[]>(firstRows ?? []);
  const [text, setText] = useState<string | undefined>(
    firstRows === undefined ? written(props.initial) : undefined,
  );
  const filter = text === undefined ? filterOf(rows) : filterIn(text);
  const changeRows = (to: readonly Row[]) => {
    setRows(to);
    props.onChange(filterOf(to));
  };
  const changeText = (to: string) => {
    setText(to);
    props.onChange(filterIn(to));
  };
  const asJson = (isText: boolean) => {
    if (isText) return setText(written(filter ?? null));
    const made = rowsOf(filter ?? null);
    if (made !== undefined) changeRows(made);
    setText(made === undefined ? text : undefined);
  };
  const nextId = Math.max(0, ...rows.map(({ id }) => id + 1));
  const change = (row: Row) => changeRows(rows.map((one) => (one.id === row.id ? row : one)));
  return (
    <fieldset className={styles.builder}>
      <legend>Conditions</legend>
      <Text size="xs" c="dimmed">
        {props.description}
      </Text>
      {text === undefined &&
        rows.map((row, n) => (
          <RowFields
            key={row.id}
            row={row}
            name={`Condition ${n + 1}`}
            paths={props.paths ?? filterPaths}
            onChange={change}
            onRemove={() => changeRows(rows.filter(({ id }) => id !== row.id))}
          />
        ))}
      {text !== undefined && (
        <Textarea
          label="Conditions in JSON"
          classNames={{ input: styles.json ?? '' }}
          autosize
          minRows={4}
          spellCheck={false}
          value={text}
          onChange={(event) => changeText(event.currentTarget.value)}
          error={filter === undefined ? 'This is not an object in JSON' : undefined}
        />
      )}
      <Group>
        {text === undefined && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() =>
              changeRows([...rows, { id: nextId, path: 'metrics.mcap_entry', operator: 'gte', texts: [] }])
            }
          >
            Add condition
          </Button>
        )}
        <Switch
          label="Edit as JSON"
          checked={text !== undefined}
          disabled={filter === undefined || (text !== undefined && rowsOf(filter) === undefined)}
          onChange={(event) => asJson(event.currentTarget.checked)}
        />
      </Group>
      {filter === undefined && text === undefined && (
        <Text size="sm" c="dimmed" role="status">
          Complete each condition. Use each comparison only once for a field.
        </Text>
      )}
      {filter && text === undefined && <pre className={styles.result}>{JSON.stringify(filter)}</pre>}
      {filter && <FilterTrial filter={filter} events={props.events} types={props.types} />}
    </fieldset>
  );
}

function written(filter: Filter | null): string {
  return filter === null ? '' : JSON.stringify(filter, null, 2);
}

type FieldsProps = {
  readonly row: Row;
  readonly name: string;
  readonly onChange: (row: Row) => void;
};

function RowFields({
  onRemove,
  paths,
  ...props
}: FieldsProps & { readonly paths: readonly string[]; readonly onRemove: () => void }) {
  const { row, name, onChange } = props;
  const operators = operatorsFor(row.path).map((value) => ({ value, label: operatorWords[value] }));
  return (
    <div className={styles.row}>
      <Select
        aria-label={`${name}: field`}
        data={[...paths]}
        value={row.path}
        onChange={(path) => path !== null && onChange(withField(row, path))}
        searchable
        allowDeselect={false}
      />
      <Select
        aria-label={`${name}: comparison`}
        data={operators}
        value={row.operator}
        onChange={(value) => {
          const operator = operators.find((one) => one.value === value)?.value;
          if (operator !== undefined) onChange({ ...row, operator, texts: [] });
        }}
        allowDeselect={false}
        withScrollArea={false}
      />
      <ValueField {...props} />
      <ActionIcon variant="default" size={36} aria-label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
        <IconTrash size={16} />
      </ActionIcon>
    </div>
  );
}

function ValueField({ row, name, onChange }: FieldsProps) {
  const { kind, values } = fieldOf(row.path);
  const label = `${name}: value`;
  const set = (texts: readonly string[]) => onChange({ ...row, texts });
  if (takesSeveral(row.operator)) {
    return (
      <TagsInput
        aria-label={label}
        placeholder={row.texts.length === 0 ? 'Enter after each' : ''}
        data={[...(values ?? [])]}
        value={[...row.texts]}
        onChange={set}
        acceptValueOnBlur
      />
    );
  }
  const isYesOrNo = kind === 'boolean' || row.operator === 'exists';
  const choices = isYesOrNo ? yesOrNo : values;
  if (choices !== undefined) {
    return (
      <Select
        aria-label={label}
        placeholder="Choose"
        data={[...choices] as string[]}
        value={row.texts[0] ?? null}
        onChange={(text) => set(text === null ? [] : [text])}
        withScrollArea={false}
      />
    );
  }
  const placeholders = { number: '50000', instant: '2026-01-01', text: '', list: '' } as const;
  return (
    <TextInput
      aria-label={label}
      placeholder={kind in placeholders ? placeholders[kind as keyof typeof placeholders] : ''}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      autoComplete="off"
      spellCheck={false}
      value={row.texts[0] ?? ''}
      onChange={(event) => set([event.currentTarget.value])}
    />
  );
}
