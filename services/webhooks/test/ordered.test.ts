import { describe, expect, it } from '@jest/globals';
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
    await shop.pass(100);
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

  it('gets no new event before those that wait', async () => {
    const shop = await lined([]);
    expect(shop.scheduler.tryReserve(shop.recipient('one'), 'one:new')).toBe(false);
  });
});
