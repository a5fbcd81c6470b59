import { describe, expect, it } from 'vitest';
import { deliveryWord } from '../src/routes/webhooks/webhook-words.ts';

describe("a delivery's state", () => {
  it.each([
    [{ status: 'pending', attempt_count: 0 }, 'Waiting'],
    [{ status: 'pending', attempt_count: 2 }, 'Retrying'],
    [{ status: 'delivered', attempt_count: 1 }, 'Delivered'],
    [{ status: 'failed', attempt_count: 4 }, 'Failed'],
  ] as const)('%j is %s', (delivery, word) => {
    expect(deliveryWord(delivery).word).toBe(word);
  });
});
