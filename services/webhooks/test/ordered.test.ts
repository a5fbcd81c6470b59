import { describe, expect, it } from '@jest/globals';
import { blockedLookMs } from '../src/domain/lane.ts';
import { failed, retryMs, settled, workshop } from './workshop.ts';

/** An ordered subscription with deliveries at these places, which came due in the opposite order. */
async function lined(places: readonly number[], madeUpTo = Number.POSITIVE_INFINITY) {
  const shop = workshop();
  shop.feed.madeUpTo = madeUpTo;
  shop.ordered.add('one');
  for (const place of places) {
    const dueAt = shop.now() - 1_000 - place;
    const state = { subscription: 'one', dueAt, leased: false, crashes: 0, ended: false };
    shop.deliveries.set(`one:${place}`, { ...state, place });
  }
  await shop.fall('one', 0);
  const answer = async (...result: Parameters<(typeof shop.underWay)[number]['answer']>) => {
    expect(shop.underWay).toHaveLength(1);
    shop.underWay[0]?.answer(...result);
    await settled();
  };
  return { ...shop, answer };
}

describe('an ordered subscription', () => {
  it('gets one delivery at a time, in the order of the feed', async () => {
    const shop = await lined([1, 2, 3, 5, 8]);
    for (let n = 0; n < 5; n += 1) await shop.answer();
    expect(shop.sent).toEqual(['one:1', 'one:2', 'one:3', 'one:5', 'one:8']);
    expect([shop.underWay.length, shop.left(), shop.scheduler.state.lanes]).toEqual([0, 0, 0]);
  });

  it('gets nothing behind a delivery that failed until that is delivered', async () => {
    const shop = await lined([1, 2, 3]);
    await shop.answer();
    await shop.answer(failed);
    await shop.pass(retryMs - 1);
    expect([shop.underWay.length, shop.scheduler.state.lanes]).toEqual([0, 0]);
    await shop.pass(1);
    await shop.answer();
    await shop.answer();
    expect(shop.sent).toEqual(['one:1', 'one:2', 'one:2', 'one:3']);
  });

  it('gets what is behind a delivery once that is given up', async () => {
    const shop = await lined([1, 2]);
    await shop.answer(failed);
    const first = shop.deliveries.get('one:1');
    if (first) first.ended = true;
    shop.lanes.set('one', 0);
    await shop.pass(100);
    await shop.answer();
    expect(shop.sent).toEqual(['one:1', 'one:2']);
  });

  it('gets nothing of an event that follows one whose deliveries may not all be made', async () => {
    const shop = await lined([4, 6], 4);
    await shop.answer();
    for (let n = 0; n < 3; n += 1) await shop.pass(100);
    expect(shop.sent).toEqual(['one:4']);
    shop.feed.madeUpTo = 5;
    await shop.pass(100);
    await shop.answer();
    expect(shop.sent).toEqual(['one:4', 'one:6']);
  });

  it('gets nothing behind a delivery that another worker has under way', async () => {
    const shop = await lined([1, 2]);
    await shop.answer(failed);
    const first = shop.deliveries.get('one:1');
    if (first) Object.assign(first, { leased: true });
    shop.lanes.set('one', 0);
    for (let n = 0; n < 3; n += 1) await shop.pass(100);
    expect(shop.underWay).toHaveLength(0);
    if (first) Object.assign(first, { leased: false, dueAt: shop.now() });
    await shop.pass(blockedLookMs);
    await shop.answer();
    await shop.answer();
    expect(shop.sent).toEqual(['one:1', 'one:1', 'one:2']);
  });

  it('gets a test although an event waits for its retry', async () => {
    const shop = await lined([1, 2]);
    await shop.answer(failed);
    const state = { subscription: 'one', leased: false, crashes: 0, ended: false };
    shop.deliveries.set('one:test', { ...state, dueAt: shop.now() });
    shop.lanes.set('one', 0);
    await shop.pass(100);
    await shop.answer();
    expect(shop.sent).toEqual(['one:1', 'one:test']);
    await shop.pass(retryMs);
    await shop.answer();
    await shop.answer();
    expect(shop.sent.slice(2)).toEqual(['one:1', 'one:2']);
  });

  it('gets what is no event of the feed at once, however many events wait', async () => {
    const shop = await lined(Array.from({ length: 250 }, (_, n) => n + 1));
    await shop.answer(failed);
    const state = { subscription: 'one', leased: false, crashes: 0, ended: false, place: 0 };
    for (const name of ['test', 'notice']) {
      shop.deliveries.set(`one:${name}`, { ...state, dueAt: shop.now() });
      shop.lanes.set('one', 0);
      await shop.pass(100);
      await shop.answer();
    }
    expect(shop.sent).toEqual(['one:1', 'one:test', 'one:notice']);
  });

  it('gets its events although much that is no event of the feed waits for retries', async () => {
    const shop = await lined([1, 2]);
    const state = { subscription: 'one', leased: false, crashes: 0, ended: false, place: 0 };
    for (let n = 0; n < 150; n += 1) {
      shop.deliveries.set(`one:notice-${n}`, { ...state, dueAt: shop.now() + retryMs + n });
    }
    await shop.answer();
    await shop.answer();
    expect(shop.sent).toEqual(['one:1', 'one:2']);
  });

  it('gets what was made before it was ordered once fewer than 100 deliveries have been due for longer', async () => {
    const shop = await lined(Array.from({ length: 101 }, (_, n) => n + 1));
    await shop.answer(failed);
    const state = { subscription: 'one', leased: false, crashes: 0, ended: false };
    shop.deliveries.set('one:before', { ...state, dueAt: shop.now() });
    shop.lanes.set('one', 0);
    await shop.pass(100);
    expect(shop.underWay).toHaveLength(0);
    const first = shop.deliveries.get('one:1');
    if (first) first.ended = true;
    shop.lanes.set('one', 0);
    await shop.pass(100);
    await shop.answer(failed);
    await shop.answer();
    expect(shop.sent).toEqual(['one:1', 'one:2', 'one:before']);
  });

  it('gets a test within a second while it waits for the feed', async () => {
    const shop = await lined([4], 1);
    await shop.pass(100);
    const state = { subscription: 'one', leased: false, crashes: 0, ended: false, place: 0 };
    shop.deliveries.set('one:test', { ...state, dueAt: shop.now() });
    shop.lanes.set('one', 0);
    await shop.pass(blockedLookMs);
    await shop.answer();
    expect(shop.sent).toEqual(['one:test']);
  });

  it('gets the retry of a notice at its time while it waits for the feed', async () => {
    const shop = await lined([], 1);
    const state = { subscription: 'one', leased: false, crashes: 0, ended: false };
    shop.deliveries.set('one:notice', { ...state, dueAt: shop.now() + 5_000, place: 0 });
    shop.deliveries.set('one:4', { ...state, dueAt: shop.now(), place: 4 });
    shop.lanes.set('one', 0);
    await shop.pass(0);
    shop.asked.length = 0;
    await shop.pass(4_999);
    expect([shop.asked, shop.underWay.length]).toEqual([['feed'], 0]);
    await shop.pass(1);
    await shop.answer();
    expect(shop.sent).toEqual(['one:notice']);
  });

  it('gets no new event before those that wait', async () => {
    const shop = await lined([]);
    expect(shop.scheduler.tryReserve(shop.recipient('one'), 'one:new')).toBe(false);
  });
});

describe('ordered subscriptions that wait', () => {
  const count = 50;
  const waiting = async (state: { readonly leased: boolean }) => {
    const shop = workshop();
    shop.feed.madeUpTo = 4;
    for (let n = 0; n < count; n += 1) {
      const subscription = `s${n}`;
      shop.ordered.add(subscription);
      const stored = { subscription, dueAt: shop.now(), crashes: 0, ended: false, place: n < 40 ? 6 : 8 };
      shop.deliveries.set(`${subscription}:0`, { ...stored, ...state });
      shop.lanes.set(subscription, 0);
    }
    await shop.pass(100);
    shop.asked.length = 0;
    return shop;
  };

  it('for the feed cost one question a poll for all of them, until it gets to their places', async () => {
    const shop = await waiting({ leased: false });
    for (let n = 0; n < 30; n += 1) await shop.pass(100);
    expect(shop.asked).toEqual(Array.from({ length: 30 }, () => 'feed'));
    shop.feed.madeUpTo = 5;
    await shop.pass(100);
    expect(shop.asked.filter((what) => what === 'order')).toHaveLength(40);
  });

  it('for another worker’s attempts are looked at once a second, and ask nothing else', async () => {
    const shop = await waiting({ leased: true });
    for (let n = 0; n < 30; n += 1) await shop.pass(100);
    for (const what of ['due', 'beside', 'order']) {
      expect(shop.asked.filter((one) => one === what)).toHaveLength(3 * count);
    }
    expect(shop.asked).toHaveLength(3 * 4 * count);
  });
});
