import { Button, Checkbox, Menu, Popover, Radio, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { SignalStatus, SignalType } from '@sigcast/client';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import {
  boundedDays,
  everySignal,
  isBounded,
  isNarrowed,
  type SignalFilter,
  type TokenQuery,
  tokenIn,
} from '../../api/signal-filter.ts';
import { type RangeFigure, rangeFigures } from '../../api/signal-ranges.ts';
import { RangeField, rangeKinds, rangeWords } from './range-field.tsx';
import styles from './signal-filters.module.css';
import { keysOf, statusWords, typeWords } from './signal-words.ts';

/** Somebody who types pauses for no longer than this within a word. */
const typingMs = 250;

const riskWords = {
  'none-known': { label: 'None known', description: 'No source found a risk. What nobody checked passes.' },
  'none-found': { label: 'Checked, none', description: 'Holders and contract were checked, without a risk.' },
} as const;

type Change = (changes: Partial<SignalFilter>) => void;

/** What a list can be filtered by, besides the search: each is a chip where it is set. */
type Kind = {
  readonly label: string;
  /** What is set, in words; empty where nothing is. */
  readonly words: (filter: SignalFilter) => string;
  readonly none: (filter: SignalFilter) => Partial<SignalFilter>;
  readonly field: (filter: SignalFilter, change: Change, close: () => void) => ReactNode;
};

const rangeKind = (figure: RangeFigure): Kind => {
  const others = (filter: SignalFilter) => filter.ranges.filter((range) => range.figure !== figure);
  const rangeOf = ({ ranges }: SignalFilter) => ranges.find((range) => range.figure === figure);
  return {
    label: rangeKinds[figure].label,
    words: (filter) => {
      const range = rangeOf(filter);
      return range === undefined ? '' : rangeWords(range);
    },
    none: (filter) => ({ ranges: others(filter) }),
    field: (filter, change, close) => (
      <RangeField
        figure={figure}
        limits={rangeOf(filter)}
        onChange={(limits) => {
          const { min, max } = limits;
          const set = min === null && max === null ? [] : [{ figure, ...limits }];
          change({ ranges: [...others(filter), ...set] });
          close();
        }}
      />
    ),
  };
};

const kinds: readonly Kind[] = [
  {
    label: 'Type',
    words: ({ types }) => types.map((type) => typeWords[type]).join(', '),
    none: () => ({ types: [] }),
    field: ({ types }, change) => (
      <Choices
        label="Types"
        choices={typeWords}
        chosen={types}
        onChange={(chosen) => change({ types: chosen as SignalType[] })}
      />
    ),
  },
  {
    label: 'Status',
    words: ({ statuses }) => statuses.map((status) => statusWords[status].word).join(', '),
    none: () => ({ statuses: [] }),
    field: ({ statuses }, change) => (
      <Choices
        label="Statuses"
        choices={Object.fromEntries(keysOf(statusWords).map((status) => [status, statusWords[status].word]))}
        chosen={statuses}
        onChange={(chosen) => change({ statuses: chosen as SignalStatus[] })}
      />
    ),
  },
  {
    label: 'Risks',
    words: ({ risks }) => (risks === null ? '' : riskWords[risks].label),
    none: () => ({ risks: null }),
    field: ({ risks }, change) => (
      <Radio.Group
        size="xs"
        label="Risks"
        value={risks ?? ''}
        onChange={(chosen) => change({ risks: chosen as SignalFilter['risks'] })}
      >
        <Stack gap="xs" mt="xs">
          {keysOf(riskWords).map((value) => (
            <Radio key={value} size="xs" value={value} {...riskWords[value]} />
          ))}
        </Stack>
      </Radio.Group>
    ),
  },
  {
    label: 'Created',
    words: (filter) => {
      const { from, to } = filter;
      // A chip of what the list does by itself: other days are chosen in it.
      if (from === null && isBounded(filter)) {
        return to === null ? `in the last ${boundedDays} days` : `in the ${boundedDays} days to ${to}`;
      }
      if (from === to) return from ?? '';
      return [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(' ');
    },
    none: () => ({ from: null, to: null }),
    field: ({ from, to }, change) => (
      <Stack gap="xs">
        <TextInput
          size="xs"
          type="date"
          label="First day (UTC)"
          value={from ?? ''}
          onChange={(event) => change({ from: event.currentTarget.value || null })}
        />
        <TextInput
          size="xs"
          type="date"
          label="Last day (UTC)"
          value={to ?? ''}
          onChange={(event) => change({ to: event.currentTarget.value || null })}
          error={
            from !== null && to !== null && from > to ? 'Choose the first day or a later day' : undefined
          }
        />
      </Stack>
    ),
  },
  ...rangeFigures.map(rangeKind),
];

/** The search and the filters of the list, in a line: a chip for each that is set. */
export function SignalFilters(props: {
  filter: SignalFilter;
  onChange: (to: SignalFilter, options?: { replace: boolean }) => void;
}) {
  const { filter, onChange } = props;
  const [opened, setOpened] = useState<Kind>();
  const change: Change = (changes) => onChange({ ...filter, ...changes, page: 1 });
  const add = useRef<HTMLButtonElement>(null);
  const close = (kind: Kind, next = filter) => {
    setOpened(undefined);
    // The chip goes, and the focus with it.
    if (kind.words(next) === '') add.current?.focus();
  };
  const isShown = (kind: Kind) => kind === opened || kind.words(filter) !== '';
  const others = kinds.filter((kind) => !isShown(kind));
  return (
    <search className={styles.filters} aria-label="Filter signals">
      <TokenField
        token={filter.token}
        onChange={(token, options) => onChange({ ...filter, token, page: 1 }, options)}
      />
      <div className={styles.chips}>
        {kinds.filter(isShown).map((kind) => (
          <Chip
            key={kind.label}
            kind={kind}
            filter={filter}
            opened={kind === opened}
            onOpen={() => setOpened(kind)}
            onClose={() => close(kind)}
            onChange={change}
            onRemove={() => {
              const none = kind.none(filter);
              change(none);
              close(kind, { ...filter, ...none });
            }}
          />
        ))}
        {others.length > 0 && (
          <Menu position="bottom-start" returnFocus={false}>
            <Menu.Target>
              <Button ref={add} size="xs" variant="default" leftSection={<IconPlus size={14} aria-hidden />}>
                Add filter
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {others.map((kind) => (
                <Menu.Item key={kind.label} onClick={() => setOpened(kind)}>
                  {kind.label}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
        {isNarrowed(filter) && (
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            aria-label="Clear filters"
            onClick={() => onChange({ ...everySignal, sort: filter.sort })}
          >
            Clear
          </Button>
        )}
      </div>
    </search>
  );
}

/** A filter that is set, or about to be: what it is, which opens its choices, and a way to remove it. */
function Chip(props: {
  kind: Kind;
  filter: SignalFilter;
  opened: boolean;
  onOpen: () => void;
  onClose: () => void;
  onChange: Change;
  onRemove: () => void;
}) {
  const { kind, filter, opened, onOpen, onClose } = props;
  const { label } = kind;
  const words = kind.words(filter);
  // Its words are the same without it where the list limits itself.
  const isSet = words === '' || words !== kind.words({ ...filter, ...kind.none(filter) });
  return (
    <span className={styles.chip}>
      <Popover opened={opened} onChange={onClose} position="bottom-start" trapFocus returnFocus>
        <Popover.Target>
          <button type="button" className={styles.set} onClick={opened ? onClose : onOpen}>
            {label} <b>{words || 'any'}</b>
          </button>
        </Popover.Target>
        <Popover.Dropdown aria-label={label}>{kind.field(filter, props.onChange, onClose)}</Popover.Dropdown>
      </Popover>
      {isSet && (
        <button
          type="button"
          className={styles.remove}
          aria-label={`Remove the filter ${label}`}
          onClick={props.onRemove}
        >
          <IconX size={12} aria-hidden />
        </button>
      )}
    </span>
  );
}

function Choices(props: {
  label: string;
  choices: Readonly<Record<string, string>>;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) {
  const { label, choices, chosen, onChange } = props;
  return (
    <Checkbox.Group
      size="xs"
      label={label}
      value={[...chosen]}
      // In the order in which they are offered.
      onChange={(next) => onChange(keysOf(choices).filter((value) => next.includes(value)))}
    >
      <Stack gap="xs" mt="xs">
        {keysOf(choices).map((value) => (
          <Checkbox key={value} size="xs" value={value} label={choices[value]} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/**
 * The field for the beginning of a symbol or a name, or a contract address. It applies as soon as nobody types on, with Enter,
 * or when the field is left. What applies while somebody types takes the place of what did before.
 */
function TokenField(props: {
  token: TokenQuery | null;
  onChange: (token: TokenQuery | null, options?: { replace: boolean }) => void;
}) {
  const shown = props.token?.text ?? '';
  const [text, setText] = useState(shown);
  const [last, setLast] = useState(shown);
  if (shown !== last) {
    setLast(shown);
    // A space at the end is kept for the next word.
    if (tokenIn(text)?.text !== props.token?.text) setText(shown);
  }
  const take = () => {
    const token = tokenIn(text);
    if (token?.text !== props.token?.text) props.onChange(token);
    else setText(shown);
  };
  const takeTyped = (typed = text) => {
    const token = tokenIn(typed);
    if (token?.text !== props.token?.text) props.onChange(token, { replace: true });
  };
  // What is in the field then: it may have been cleared since.
  const takeSoon = useDebouncedCallback(() => takeTyped(), typingMs);
  return (
    <form
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <TextInput
        size="xs"
        type="search"
        aria-label="Symbol, name or contract"
        placeholder="Symbol, name, contract"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          // Nobody types an address on.
          if (tokenIn(value)?.by === 'contract') takeTyped(value);
          else takeSoon();
        }}
        onBlur={take}
      />
    </form>
  );
}
