import { Button, Checkbox, MultiSelect, NativeSelect, Text, TextInput } from '@mantine/core';
import type { SignalType } from '@sigcast/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import formStyles from '../../ui/action-form.module.css';
import { Problem } from '../../ui/problem.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { FilterBuilder } from '../filters/filter-builder.tsx';
import { creationFilterPaths } from '../filters/filter-rows.ts';
import { keysOf, typeWords } from '../signals/signal-words.ts';
import { type BacktestFields, bodyOf, figureFilters } from './backtest-fields.ts';
import styles from './backtest-form.module.css';
import { Amount, ExitInput, FigureInput, Group, TimeInput } from './backtest-inputs.tsx';
import { backtestsKey } from './backtest-queries.ts';

const types = keysOf(typeWords).map((value) => ({ value, label: typeWords[value] }));
const premium = [
  { value: '', label: 'All signals' },
  { value: 'true', label: 'Only premium' },
  { value: 'false', label: 'Only others' },
];
/** Rules to begin with. */
const presets = [
  { name: 'Double or half', rule: ruleOf(2, 0.5, 168) },
  { name: 'Small and fast', rule: ruleOf(1.3, 0.85, 24) },
  { name: 'Let winners run', rule: ruleOf(5, 0.6, 336) },
] as const;

function ruleOf(target: number, stop: number, holdHours: number) {
  return { target: { on: true, times: target }, stop: { on: true, times: stop }, holdHours };
}

type Rule = ReturnType<typeof ruleOf>;

/** Whether the fields have a preset's rule. */
function isChosen(rule: Rule, { target, stop, holdHours }: BacktestFields): boolean {
  return JSON.stringify(rule) === JSON.stringify({ target, stop, holdHours });
}

/** The fields, by their names in the API, that show what is wrong with them. */
const places = [
  'name',
  ...['filters.since', 'filters.until', 'filters.types', 'filters.is_premium'],
  ...figureFilters.map((name) => `filters.${name}`),
  ...['delay_minutes', 'size_usd', 'target', 'stop', 'hold_hours', 'costs.fee_percent', 'as_of'],
];

/** Asks which signals a backtest buys, when it sells and what that costs. The API checks the fields. */
export function BacktestForm({ initial, unfolded = false }: { initial: BacktestFields; unfolded?: boolean }) {
  const [isOpen, setIsOpen] = useState(unfolded);
  const session = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [fields, setFields] = useState(initial);
  const change = (changes: Partial<BacktestFields>) => setFields({ ...fields, ...changes });
  const start = useAction(async () => {
    const { data } = await session.ask((api) => api.backtests.create(bodyOf(fields)));
    tellDone('The backtest is started.');
    void queries.invalidateQueries({ queryKey: backtestsKey });
    navigate(`/backtests/${data.id}`);
  }, places);
  const form = useRef<HTMLFormElement>(null);
  const wrong = start.fields;
  useEffect(() => {
    // The wrong field may be folded, or out of view.
    const fold = form.current?.querySelector('details:has([aria-invalid="true"])');
    fold?.setAttribute('open', '');
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [wrong]);
  return (
    <form
      ref={form}
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void start.run();
      }}
    >
      <TextInput
        className={styles.name ?? ''}
        label="Name"
        placeholder="Optional"
        maxLength={80}
        value={fields.name}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
        error={wrong.name}
      />
      <div className={styles.presets}>
        <Text size="sm" c="dimmed">
          Presets
        </Text>
        {presets.map(({ name, rule }) => (
          <Button
            key={name}
            size="xs"
            variant="default"
            aria-pressed={isChosen(rule, fields)}
            onClick={() => change(rule)}
          >
            {name}
          </Button>
        ))}
      </div>
      <div className={`${styles.fields} ${styles.main}`}>
        <TimeInput
          label="Created after"
          value={fields.since}
          onChange={(since) => change({ since })}
          error={wrong['filters.since']}
        />
        <MultiSelect
          label="Types"
          placeholder={fields.types.length === 0 ? 'All types' : ''}
          data={types}
          value={[...fields.types]}
          onChange={(chosen) => change({ types: chosen as SignalType[] })}
          withScrollArea={false}
          clearable
          clearButtonProps={{ 'aria-label': 'All types' }}
          error={wrong['filters.types']}
        />
        <ExitInput
          name="target"
          exit={fields.target}
          onChange={(target) => change({ target })}
          error={wrong.target}
        />
        <ExitInput name="stop" exit={fields.stop} onChange={(stop) => change({ stop })} error={wrong.stop} />
        <Amount
          label="Hold at most"
          suffix=" h"
          value={fields.holdHours}
          onChange={(holdHours) => change({ holdHours })}
          error={wrong.hold_hours}
        />
      </div>
      <Text size="xs" c="dimmed" maw="46rem">
        Target and stop are multiples of the market cap at purchase. A signal is sold once two observations in
        a row reach either one, or when the hold time is up.
      </Text>
      <details open={isOpen} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
        <summary>More settings</summary>
        <div className={styles.more}>
          <Group
            title="Time"
            description="“As of” runs the backtest as if it were that moment: anything recorded later is ignored. Leave it empty for the latest data. Leave “Created until” empty to include signals up to “As of”."
          >
            <TimeInput
              label="Created until"
              value={fields.until}
              onChange={(until) => change({ until })}
              error={wrong['filters.until']}
            />
            <TimeInput
              label="As of"
              value={fields.asOf}
              onChange={(asOf) => change({ asOf })}
              error={wrong.as_of}
            />
          </Group>
          <Group
            title="Figures at purchase"
            description="Only signals within these bounds are bought. Empty fields have no bound."
          >
            {figureFilters.map((name) => (
              <FigureInput
                key={name}
                name={name}
                value={fields.figures[name]}
                onChange={(figure) => change({ figures: { ...fields.figures, [name]: figure } })}
                error={wrong[`filters.${name}`]}
              />
            ))}
            <NativeSelect
              label="Premium"
              data={premium}
              value={fields.isPremium === null ? '' : String(fields.isPremium)}
              onChange={({ currentTarget: { value } }) =>
                change({ isPremium: value === '' ? null : value === 'true' })
              }
              error={wrong['filters.is_premium']}
            />
          </Group>
          <FilterBuilder
            initial={initial.filter ?? null}
            description="Only signals that met every condition when they were created are bought."
            paths={creationFilterPaths}
            events={['signal.new']}
            types={fields.types}
            onChange={(filter) => change({ filter })}
          />
          <Group
            title="Order and costs"
            description="A signal is bought at the first price recorded in the hour after the delay. Size includes the fee."
          >
            <Amount
              label="Delay"
              suffix=" min"
              value={fields.delayMinutes}
              onChange={(delayMinutes) => change({ delayMinutes })}
              error={wrong.delay_minutes}
            />
            <Amount
              label="Size"
              prefix="$"
              value={fields.sizeUsd}
              onChange={(sizeUsd) => change({ sizeUsd })}
              error={wrong.size_usd}
            />
            <Amount
              label="Fee per trade"
              suffix="%"
              value={fields.feePercent}
              onChange={(feePercent) => change({ feePercent })}
              error={wrong['costs.fee_percent']}
            />
            <Checkbox
              className={styles.beside ?? ''}
              label="Price impact"
              description="Each trade moves the price against you."
              checked={fields.priceImpact}
              onChange={({ currentTarget: { checked } }) => change({ priceImpact: checked })}
            />
          </Group>
        </div>
      </details>
      <div className={formStyles.footer}>
        <Problem problem={start.problem} />
        <Button type="submit" disabled={fields.filter === undefined} loading={start.pending}>
          Start backtest
        </Button>
      </div>
    </form>
  );
}
