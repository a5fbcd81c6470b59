import { readFileSync } from 'node:fs';
import { signalTypes } from '@sigcast/contracts';
import { expect, it } from 'vitest';
import { defaultThresholds, reasons } from '../src/domain/rules/v1.ts';
import { replay } from '../src/recording/replay.ts';
import { fileOf } from './recording/second-signals.ts';

const figures = readFileSync(new URL('../../../docs/figures.md', import.meta.url), 'utf8');
const section = figures.split('\n## ').find((text) => text.startsWith('How signals are made')) ?? '';

/** The rows of the table whose first heading is this. */
function tableOf(heading: string): readonly (readonly string[])[] {
  const [, table = ''] = section.split(new RegExp(`\\| ${heading} .*\\n.*\\n`));
  const [rows = ''] = table.split('\n\n');
  return rows.split('\n').map((row) =>
    row
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}
const nameOf = (row: readonly string[]) => row[0]?.replaceAll('`', '');

it('docs/figures.md has a meaning for each type', () => {
  expect(tableOf('type').map(nameOf)).toEqual(signalTypes);
});

it('has each reason in the order of the rules, with the published thresholds and the tokens of the shipped recording that it refused', async () => {
  const rows = tableOf('reason');
  expect(rows.map(nameOf)).toEqual(reasons);
  const written = rows.flatMap((row) =>
    [...(row[3] ?? '').matchAll(/`([a-z0-9_.]+)` ([\d.]+)/g)].map(([, name, value]) => [name, Number(value)]),
  );
  const published = Object.entries(defaultThresholds).flatMap(([group, values]: [string, object]) =>
    Object.entries(values).map(([name, value]) => [`${group}.${name}`, value as number]),
  );
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(published));
  const file = fileOf('synthetic-market.ndjson');
  const pace = { coolDownMs: 86_400_000, againAfterMs: 300_000 };
  const { refusals, signals, tokens } = await replay({
    file,
    thresholds: defaultThresholds,
    rule: 'v1',
    ...pace,
  });
  expect(Object.fromEntries(rows.map((row) => [nameOf(row), Number(row[4])]))).toEqual(refusals);
  expect(section).toContain(`makes ${signals.length} signals of ${tokens} tokens`);
});
