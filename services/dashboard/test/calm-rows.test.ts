import type { SignalListItem } from '@sigcast/client';
import { sampleOf, webhookPayloadSchema } from '@sigcast/contracts';
import { expect, it } from 'vitest';
import { calmRows, newIn } from '../src/ui/use-calm-rows.ts';

const signal = (second: number, roi = 0): SignalListItem =>
  sampleOf(webhookPayloadSchema.shape.data, {
    id: `sig_${String(second).padStart(26, '0')}`,
    performance: { roi },
    created_at: new Date(second * 1_000).toISOString(),
  });

it('keeps the places of the rows that are read, with their newest figures, and counts new signals', () => {
  const shown = [signal(2), signal(1)];
  const newest = [signal(4), signal(3), signal(2, 50)];
  expect(calmRows(shown, newest)).toEqual([signal(2, 50), signal(1)]);
  expect(newIn(newest, shown)).toBe(2);
});
