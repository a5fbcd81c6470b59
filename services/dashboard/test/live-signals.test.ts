import { describe, expect, it } from '@jest/globals';
import type { SignalStatus, SignalType, WebhookPayload } from '@sigcast/contracts';
import { afterEvent } from '../src/routes/signals/live-signals.ts';

const everything = { types: [], statuses: [], page: 1 };

function signal(
  at: number,
  type: SignalType = 'new',
  status: SignalStatus = 'active',
): WebhookPayload['data'] {
  return {
    id: `sig_${String(at).padStart(26, '0')}`,
    token: {
      symbol: 'NOVA',
      name: 'Nova',
      contract: '0x1',
      age_hours: 1,
      dex_paid: false,
      socials: { twitter: null, telegram: null, website: null },
    },
    metrics: { mcap_entry: 1, mcap_current: 1, mcap_ath: 1, volume_24h: 1, holders: 1, liquidity: 1 },
    performance: { roi: 0, ath_roi: 0, status, time_to_ath_hours: 0 },
    type,
    is_premium: false,
    created_at: new Date(at * 1_000).toISOString(),
  };
}

function page(...signals: WebhookPayload['data'][]) {
  return { data: signals, meta: { total: signals.length, page: 1, per_page: 20, total_pages: 1 } };
}

const event = (
  data: WebhookPayload['data'],
  name: WebhookPayload['event'] = 'signal.new',
): WebhookPayload => ({
  event: name,
  timestamp: data.created_at,
  data,
});

const ids = (list: { data: readonly { id: string }[] }) => list.data.map(({ id }) => id);

describe('a page of signals after an event', () => {
  it('has a new signal where its time puts it, and one more in all', () => {
    const after = afterEvent(page(signal(30), signal(10)), everything, event(signal(20)));
    expect(ids(after)).toEqual([signal(30), signal(20), signal(10)].map(({ id }) => id));
    expect(after.meta.total).toBe(3);
  });

  it('keeps its length: the oldest moves to the next page', () => {
    const full = page(...Array.from({ length: 20 }, (_, at) => signal(100 - at)));
    const after = afterEvent(full, everything, event(signal(200)));
    expect(after.data).toHaveLength(20);
    expect(after.data[0]?.id).toBe(signal(200).id);
    expect(after.meta).toMatchObject({ total: 21, total_pages: 2 });
  });

  it('does not take a signal twice, whatever is told twice', () => {
    const once = afterEvent(page(), everything, event(signal(1)));
    expect(afterEvent(once, everything, event(signal(1)))).toEqual(once);
  });

  it('changes a signal in place', () => {
    const winner = signal(1, 'new', 'winner');
    const after = afterEvent(page(signal(2), signal(1)), everything, event(winner, 'signal.winner'));
    expect(after.data[1]).toEqual(winner);
    expect(after.meta.total).toBe(2);
  });

  it('loses a signal that its filter does not let through any more', () => {
    const filter = { ...everything, statuses: ['active' as const] };
    const after = afterEvent(
      page(signal(2), signal(1)),
      filter,
      event(signal(1, 'new', 'dead'), 'signal.dead'),
    );
    expect(ids(after)).toEqual([signal(2).id]);
    expect(after.meta.total).toBe(1);
  });

  it.each([
    ['another type', { ...everything, types: ['wallet' as const] }, event(signal(5))],
    ['a later page', { ...everything, page: 2 }, event(signal(5))],
    ['the end of a signal that is not on it', everything, event(signal(5, 'new', 'dead'), 'signal.dead')],
  ])('stays as it is for %s', (_, filter, told) => {
    const before = page(signal(2));
    expect(afterEvent(before, filter, told)).toBe(before);
  });
});
