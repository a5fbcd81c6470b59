import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { thresholds } from '../src/api/thresholds.ts';

it('the pages name the thresholds by which the scanner makes signals', () => {
  const published = new URL('../../scanner/src/domain/rules/v1.json', import.meta.url);
  expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(thresholds);
});
