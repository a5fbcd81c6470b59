import { expect, it } from 'vitest';
import { noHistory } from '../src/routes/signals/no-history.ts';

it('a history counts as not yet begun only in the first two minutes of a signal', () => {
  const createdAt = '2026-03-01T12:00:00.000Z';
  const after = (seconds: number) => noHistory(createdAt, Date.parse(createdAt) + seconds * 1_000);
  // The browser's clock may be behind that of the signals service.
  expect([-30, 0, 119.999].map(after)).toEqual(['not yet', 'not yet', 'not yet']);
  expect([120, 86_400].map(after)).toEqual(['never recorded', 'never recorded']);
});
