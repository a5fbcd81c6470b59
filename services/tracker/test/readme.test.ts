import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { defaultThresholds } from '../src/domain/rules/v1.ts';

it('the README has the default thresholds of the rules', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const samples = [...readme.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json = '']): unknown =>
    JSON.parse(json),
  );
  expect(samples).toEqual([defaultThresholds]);
});
