import type { SignalStatus, SignalType, WebhookPayload } from '@sigcast/client';
import { sampleOf, webhookPayloadSchema } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { everySignal, type SignalFilter, type SignalPage } from '../src/api/signal-filter.ts';
import { afterEvent, withEvents } from '../src/routes/signals/live-signals.ts';

const everything: SignalFilter = everySignal;

function signal(
  at: number,
  type: SignalType = 'new',
  status: SignalStatus = 'active',
): WebhookPayload['data'] {
  return sampleOf(webhookPayloadSchema.shape.data, {
    id: `sig_${String(at).padStart(26, '0')}`,
    performance: { status },
    type,
    created_at: new Date(at * 1_000).toISOString(),
  });
}

function page(signals: WebhookPayload['data'][], filter = everything): SignalPage {
  const meta = { total: signals.length, page: filter.page, per_page: 20, total_pages: 1 };
  return { data: signals, meta, filter, query: {}, askedAtMs: 1_000 };
}

/** The first page of many. */
const full = (filter = everything, status: SignalStatus = 'active') =>
  page(
    Array.from({ length: 20 }, (_, at) => signal(100 - at, 'new', status)),
    filter,
  );

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
  it('has a new signal in the order of time, and one more in all', () => {
    const after = afterEvent(page([signal(30), signal(10)]), event(signal(20)));
    expect(ids(after)).toEqual([signal(30), signal(20), signal(10)].map(({ id }) => id));
    expect(after.meta.total).toBe(3);
  });

  it('keeps its length: the oldest moves to the next page', () => {
    const after = afterEvent(full(), event(signal(200)));
    expect(after.data).toHaveLength(20);
    expect(after.data[0]?.id).toBe(signal(200).id);
    expect(after.meta).toMatchObject({ total: 21, total_pages: 2 });
  });

  it('does not contain a signal twice when events are repeated', () => {
    const once = afterEvent(page([]), event(signal(1)));
    expect(afterEvent(once, event(signal(1)))).toBe(once);
  });

  it('changes a signal in place', () => {
    const winner = signal(1, 'new', 'winner');
    const after = afterEvent(page([signal(2), signal(1)]), event(winner, 'signal.winner'));
    expect(after.data[1]).toEqual(winner);
    expect(after.meta.total).toBe(2);
  });

  it('is not changed back by an event that is older than the page', () => {
    const before = page([signal(1, 'new', 'rugged')]);
    expect(afterEvent(before, event(signal(1, 'new', 'winner'), 'signal.winner'))).toBe(before);
  });

  it('loses a signal that its filter does not match any more', () => {
    const before = page([signal(2), signal(1)], { ...everything, statuses: ['active'] });
    const after = afterEvent(before, event(signal(1, 'new', 'dead'), 'signal.dead'));
    expect(ids(after)).toEqual([signal(2).id]);
    expect(after.meta.total).toBe(1);
  });

  it('gains, in the order of time, a signal that its filter matches only now', () => {
    const before = full({ ...everything, statuses: ['winner'] }, 'winner');
    const after = afterEvent(before, event(signal(95.5, 'new', 'winner'), 'signal.winner'));
    expect(ids(after).indexOf(signal(95.5).id)).toBe(5);
    expect(after.meta.total).toBe(21);
  });

  it('filtered by risks, which events do not tell, gains nothing and keeps what it has', () => {
    const soundOnes = page([signal(1)], { ...everything, risks: 'none-found' });
    expect(afterEvent(soundOnes, event(signal(2)))).toBe(soundOnes);
    const won = afterEvent(soundOnes, event(signal(1, 'new', 'winner'), 'signal.winner'));
    expect(won.data.map(({ performance }) => performance.status)).toEqual(['winner']);
  });

  it('of a search gains a new signal that it finds, and no older one, which may be of a day that is not listed', () => {
    const { symbol } = signal(2).token;
    const found = page([], { ...everything, token: { by: 'search', text: symbol.slice(0, 2) } });
    expect(ids(afterEvent(found, event(signal(2))))).toEqual([signal(2).id]);
    expect(afterEvent(found, event(signal(1, 'new', 'winner'), 'signal.winner'))).toBe(found);
    const another = { ...found, filter: { ...found.filter, token: { by: 'search', text: '#' } as const } };
    expect(afterEvent(another, event(signal(2)))).toBe(another);
  });

  it('sorted by a figure gains nothing: the next answer has it in its place', () => {
    const sorted = page([signal(1)], { ...everything, sort: 'roi' });
    expect(afterEvent(sorted, event(signal(2)))).toBe(sorted);
  });

  it('counts one page less when the only signal of the last page has left', () => {
    const filter: SignalFilter = { ...everything, statuses: ['active'], page: 2 };
    const before = page([signal(1)], filter);
    const last = { ...before, meta: { ...before.meta, total: 21, total_pages: 2 } };
    expect(afterEvent(last, event(signal(1, 'new', 'dead'), 'signal.dead')).meta.total_pages).toBe(1);
  });

  it.each([
    ['another type', page([signal(2)], { ...everything, types: ['wallet'] }), event(signal(5))],
    ['a later page', page([signal(2)], { ...everything, page: 2 }), event(signal(5))],
    ['the end of a signal further down', full(), event(signal(5, 'new', 'dead'), 'signal.dead')],
  ])('stays as it is for %s', (_, before, told) => {
    expect(afterEvent(before, told)).toBe(before);
  });
});

describe('a page of signals as it stands', () => {
  it('has the events since its request, also those before its answer', () => {
    const events = [
      { payload: event(signal(3)), atMs: 999 },
      { payload: event(signal(4)), atMs: 1_000 },
      { payload: event(signal(4, 'new', 'winner'), 'signal.winner'), atMs: 2_000 },
    ];
    const now = withEvents(page([signal(1)]), events);
    expect(now.data).toEqual([signal(4, 'new', 'winner'), signal(1)]);
  });

  it('is the answer itself when nothing happened', () => {
    const answer = page([signal(1)]);
    expect(withEvents(answer, [])).toBe(answer);
  });
});
