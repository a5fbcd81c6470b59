import { readFileSync } from 'node:fs';
import { defaultThresholds } from '@sigcast/outcomes';
import { expect, it } from 'vitest';

it('the README has the default thresholds of the rules', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const samples = [...readme.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json = '']): unknown =>
    JSON.parse(json),
  );
  expect(samples).toEqual([defaultThresholds]);
});
