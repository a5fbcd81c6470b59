import { describe, expect, it } from '@jest/globals';
import { deliveryWord, healthOf } from '../src/routes/webhooks/webhook-words.ts';

const delivered = { status: 'delivered', attempt_count: 1 } as const;
const failed = { status: 'failed', attempt_count: 4 } as const;
const first = { status: 'pending', attempt_count: 0 } as const;
const retried = { status: 'pending', attempt_count: 2 } as const;

describe('how a webhook is doing', () => {
  it.each([
    [[], 'Nothing sent yet', 'neutral'],
    [[first], 'Nothing sent yet', 'neutral'],
    [[delivered, first], 'Delivered', 'good'],
    [[delivered, delivered], 'Last 2 delivered', 'good'],
    [[retried, delivered, delivered], 'Retrying 1', 'bad'],
    [[delivered, failed], '1 of 2 failed', 'bad'],
    [[retried, retried, failed, delivered], '1 of 2 failed, Retrying 2', 'bad'],
  ] as const)('%j is %s', (deliveries, word, tone) => {
    expect(healthOf(deliveries)).toEqual({ word, tone });
  });

  it('tells a delivery that is retried from one that is sent for the first time', () => {
    expect([first, retried].map((delivery) => deliveryWord(delivery).word)).toEqual([
      'On its way',
      'Retrying',
    ]);
  });
});
