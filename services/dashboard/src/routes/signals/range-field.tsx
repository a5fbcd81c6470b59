import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { amountIn, type FigureRange, type Limits, type RangeFigure } from '../../api/signal-ranges.ts';
import { count, limit, usd } from '../../ui/format.ts';

const dollars = { words: usd, unit: '$', example: 'an amount, such as 50k' };
const percent = { words: limit, unit: '%', example: 'a number, such as 100' };

/** The figures by which the list can be limited, as it names them. */
export const rangeKinds: Readonly<
  Record<RangeFigure, { label: string; words: (figure: number) => string; unit: string; example: string }>
> = {
  mcap_entry: { label: 'Market cap at entry', ...dollars },
  roi: { label: 'ROI', ...percent },
  ath_roi: { label: 'Peak ROI', ...percent },
  liquidity: { label: 'Liquidity', ...dollars },
  holders: { label: 'Holders', words: count, unit: '', example: 'a whole number, such as 500' },
};

/** A range in words, such as “≥ $50K”. */
export function rangeWords({ figure, min, max }: FigureRange): string {
  const { words } = rangeKinds[figure];
  if (min === null) return max === null ? '' : `≤ ${words(max)}`;
  if (max === null) return `≥ ${words(min)}`;
  return min === max ? words(min) : `${words(min)} to ${words(max)}`;
}

/** The limits of a figure. They apply together, once both can be read. */
export function RangeField(props: {
  figure: RangeFigure;
  limits: Limits | undefined;
  onChange: (limits: Limits) => void;
}) {
  const { figure, limits, onChange } = props;
  const { unit, example, words } = rangeKinds[figure];
  const [texts, setTexts] = useState({ min: `${limits?.min ?? ''}`, max: `${limits?.max ?? ''}` });
  const [problems, setProblems] = useState<{ min?: string; max?: string }>({});
  const read = (text: string) => {
    const amount = amountIn(text);
    const isPossible = unit === '%' || (amount ?? 0) >= 0;
    return isPossible && (unit !== '' || Number.isInteger(amount ?? 0)) ? amount : undefined;
  };
  const apply = () => {
    const [min, max] = [read(texts.min), read(texts.max)];
    if (min === undefined || max === undefined) {
      const problem = `Enter ${example}`;
      setProblems({ ...(min === undefined && { min: problem }), ...(max === undefined && { max: problem }) });
    } else if (min !== null && max !== null && min > max) {
      setProblems({ max: `Enter ${words(min)} or more` });
    } else onChange({ min, max });
  };
  const field = (name: keyof Limits, label: string) => (
    <TextInput
      size="xs"
      label={label}
      autoComplete="off"
      leftSection={unit === '$' && unit}
      rightSection={unit === '%' && unit}
      w={120}
      value={texts[name]}
      error={problems[name]}
      onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
    />
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <Group gap="xs" align="flex-start">
        {field('min', 'At least')}
        {field('max', 'At most')}
      </Group>
      <Button type="submit" size="xs" variant="default" mt="xs">
        Apply
      </Button>
    </form>
  );
}
