import type { Delivery, ListDeliveriesQuery, Webhook } from '@sigcast/client';
import { describe, expect, it } from 'vitest';
import { findFirstDelivery } from '../src/routes/getting-started/first-delivery.ts';

type Row = Pick<Delivery, 'id' | 'status' | 'attempt_count'>;

const webhook = { id: 'wh_1' } as Webhook;
const waiting = Array.from({ length: 25 }, (_, at): Row => {
  return { id: `evt_waits_${at}`, status: 'pending', attempt_count: 0 };
});

/** Answers as the log of a webhook with these deliveries, newest first. */
function logOf(rows: readonly Row[]) {
  return (_webhook: Webhook, { status, limit }: ListDeliveriesQuery) => {
    const matching = rows.filter((row) => {
      if (status === 'retrying') return row.status === 'pending' && row.attempt_count > 0;
      return status === undefined || row.status === status;
    });
    const data = matching.slice(0, limit) as Delivery[];
    return Promise.resolve({ data, meta: { total: matching.length } });
  };
}

describe('the search for the first delivery', () => {
  it.each([
    { id: 'evt_retries', status: 'pending', attempt_count: 2 },
    { id: 'evt_failed', status: 'failed', attempt_count: 4 },
  ] as const)('finds $id behind 25 newer deliveries that wait', async (refused) => {
    const found = await findFirstDelivery([webhook], logOf([...waiting, refused]));
    expect(found).toMatchObject({ delivered: false, refused });
  });

  it('finds a delivery that was taken behind 25 newer deliveries that wait', async () => {
    const taken: Row = { id: 'evt_taken', status: 'delivered', attempt_count: 1 };
    const found = await findFirstDelivery([webhook], logOf([...waiting, taken]));
    expect(found).toEqual({ delivered: true, refused: undefined, requests: 2 });
  });

  it('costs one request while the whole log is one page', async () => {
    const found = await findFirstDelivery([webhook], logOf(waiting.slice(0, 20)));
    expect(found).toEqual({ delivered: false, refused: undefined, requests: 1 });
  });
});
