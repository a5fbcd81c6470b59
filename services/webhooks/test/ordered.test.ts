import { expect, it } from 'vitest';
import { blockedQueryMs } from '../src/domain/lane.ts';
import { failed, retryMs, schedulerHarness, settled } from './scheduler-harness.ts';

/** An ordered subscription with deliveries at these sequence numbers, which are due in the opposite order. */
async function orderedLane(sequences: readonly number[], watermark = Number.POSITIVE_INFINITY) {
  const harness = schedulerHarness();
  harness.feed.watermark = watermark;
  harness.ordered.add('one');
  for (const sequence of sequences) {
    const dueAt = harness.now() - 1_000 - sequence;
    const state = { subscription: 'one', dueAt, leased: false, crashes: 0, ended: false };
    harness.deliveries.set(`one:${sequence}`, { ...state, sequence });
  }
  await harness.makeDue('one', 0);
  const answer = async (...result: Parameters<(typeof harness.underWay)[number]['answer']>) => {
    expect(harness.underWay).toHaveLength(1);
    harness.underWay[0]?.answer(...result);
    await settled();
  };
  return { ...harness, answer };
}

it('an ordered subscription gets one delivery at a time, in the order of the feed', async () => {
  const harness = await orderedLane([1, 2, 3, 5, 8]);
  for (let n = 0; n < 5; n += 1) await harness.answer();
  expect(harness.sent).toEqual(['one:1', 'one:2', 'one:3', 'one:5', 'one:8']);
  expect([harness.underWay.length, harness.left()]).toEqual([0, 0]);
});

it('an ordered subscription gets nothing behind a delivery that waits for its retry', async () => {
  const harness = await orderedLane([1, 2, 3]);
  await harness.answer();
  await harness.answer(failed);
  await harness.advance(retryMs - 1);
  expect([harness.underWay.length, harness.scheduler.state.lanes]).toEqual([0, 0]);
  await harness.advance(1);
  await harness.answer();
  await harness.answer();
  expect(harness.sent).toEqual(['one:1', 'one:2', 'one:2', 'one:3']);
});

it('an ordered subscription gets the next delivery once the one before has failed', async () => {
  const harness = await orderedLane([1, 2]);
  await harness.answer(failed);
  const first = harness.deliveries.get('one:1');
  if (first) first.ended = true;
  harness.lanes.set('one', 0);
  await harness.advance(100);
  await harness.answer();
  expect(harness.sent).toEqual(['one:1', 'one:2']);
});

it('an ordered subscription gets nothing of an event that follows one whose deliveries may not all be made', async () => {
  const harness = await orderedLane([4, 6], 4);
  await harness.answer();
  for (let n = 0; n < 3; n += 1) await harness.advance(100);
  expect(harness.sent).toEqual(['one:4']);
  harness.feed.watermark = 5;
  await harness.advance(100);
  await harness.answer();
  expect(harness.sent).toEqual(['one:4', 'one:6']);
});

it('an ordered subscription gets nothing behind a delivery that another worker has under way', async () => {
  const harness = await orderedLane([1, 2]);
  await harness.answer(failed);
  const first = harness.deliveries.get('one:1');
  if (first) Object.assign(first, { leased: true });
  harness.lanes.set('one', 0);
  for (let n = 0; n < 3; n += 1) await harness.advance(100);
  expect(harness.underWay).toHaveLength(0);
  if (first) Object.assign(first, { leased: false, dueAt: harness.now() });
  await harness.advance(blockedQueryMs);
  await harness.answer();
  await harness.answer();
  expect(harness.sent).toEqual(['one:1', 'one:1', 'one:2']);
});

it('an ordered subscription gets a test although an event waits for its retry', async () => {
  const harness = await orderedLane([1, 2]);
  await harness.answer(failed);
  const state = { subscription: 'one', leased: false, crashes: 0, ended: false };
  harness.deliveries.set('one:test', { ...state, dueAt: harness.now() });
  harness.lanes.set('one', 0);
  await harness.advance(100);
  await harness.answer();
  expect(harness.sent).toEqual(['one:1', 'one:test']);
  await harness.advance(retryMs);
  await harness.answer();
  await harness.answer();
  expect(harness.sent.slice(2)).toEqual(['one:1', 'one:2']);
});

it('an ordered subscription gets tests and notices at once, however many events wait', async () => {
  const harness = await orderedLane(Array.from({ length: 250 }, (_, n) => n + 1));
  await harness.answer(failed);
  const state = { subscription: 'one', leased: false, crashes: 0, ended: false, sequence: 0 };
  for (const name of ['test', 'notice']) {
    harness.deliveries.set(`one:${name}`, { ...state, dueAt: harness.now() });
    harness.lanes.set('one', 0);
    await harness.advance(100);
    await harness.answer();
  }
  expect(harness.sent).toEqual(['one:1', 'one:test', 'one:notice']);
});

it('an ordered subscription gets its events although many notices wait for retries', async () => {
  const harness = await orderedLane([1, 2]);
  const state = { subscription: 'one', leased: false, crashes: 0, ended: false, sequence: 0 };
  for (let n = 0; n < 150; n += 1) {
    harness.deliveries.set(`one:notice-${n}`, { ...state, dueAt: harness.now() + retryMs + n });
  }
  await harness.answer();
  await harness.answer();
  expect(harness.sent).toEqual(['one:1', 'one:2']);
});

it('an ordered subscription gets a delivery made before it was ordered once fewer than 100 deliveries have been due for longer', async () => {
  const harness = await orderedLane(Array.from({ length: 101 }, (_, n) => n + 1));
  await harness.answer(failed);
  const state = { subscription: 'one', leased: false, crashes: 0, ended: false };
  harness.deliveries.set('one:before', { ...state, dueAt: harness.now() });
  harness.lanes.set('one', 0);
  await harness.advance(100);
  expect(harness.underWay).toHaveLength(0);
  const first = harness.deliveries.get('one:1');
  if (first) first.ended = true;
  harness.lanes.set('one', 0);
  await harness.advance(100);
  await harness.answer(failed);
  await harness.answer();
  expect(harness.sent).toEqual(['one:1', 'one:2', 'one:before']);
});

it('an ordered subscription gets a test within a second while it waits for the feed', async () => {
  const harness = await orderedLane([4], 1);
  await harness.advance(100);
  const state = { subscription: 'one', leased: false, crashes: 0, ended: false, sequence: 0 };
  harness.deliveries.set('one:test', { ...state, dueAt: harness.now() });
  harness.lanes.set('one', 0);
  await harness.advance(blockedQueryMs);
  await harness.answer();
  expect(harness.sent).toEqual(['one:test']);
});

it('an ordered subscription gets the retry of a notice at its time while it waits for the feed', async () => {
  const harness = await orderedLane([], 1);
  const state = { subscription: 'one', leased: false, crashes: 0, ended: false };
  harness.deliveries.set('one:notice', { ...state, dueAt: harness.now() + 5_000, sequence: 0 });
  harness.deliveries.set('one:4', { ...state, dueAt: harness.now(), sequence: 4 });
  harness.lanes.set('one', 0);
  await harness.advance(0);
  harness.asked.length = 0;
  await harness.advance(4_999);
  expect([harness.asked, harness.underWay.length]).toEqual([['watermark'], 0]);
  await harness.advance(1);
  await harness.answer();
  expect(harness.sent).toEqual(['one:notice']);
});

it('an ordered subscription gets no new event before those that wait', async () => {
  const harness = await orderedLane([1, 2]);
  harness.deliveries.set('one:3', {
    subscription: 'one',
    dueAt: harness.now() - 5_000,
    leased: false,
    crashes: 0,
    ended: false,
    sequence: 3,
  });
  await harness.notify('one', 'one:3');
  for (let n = 0; n < 3; n += 1) await harness.answer();
  expect(harness.sent).toEqual(['one:1', 'one:2', 'one:3']);
});

const count = 50;
const waiting = async (state: { readonly leased: boolean }) => {
  const harness = schedulerHarness();
  harness.feed.watermark = 4;
  for (let n = 0; n < count; n += 1) {
    const subscription = `s${n}`;
    harness.ordered.add(subscription);
    const stored = { subscription, dueAt: harness.now(), crashes: 0, ended: false, sequence: n < 40 ? 6 : 8 };
    harness.deliveries.set(`${subscription}:0`, { ...stored, ...state });
    harness.lanes.set(subscription, 0);
  }
  await harness.advance(100);
  harness.asked.length = 0;
  return harness;
};

it('ordered subscriptions that wait for the feed cost one read a poll for all of them, until the watermark reaches their events', async () => {
  const harness = await waiting({ leased: false });
  for (let n = 0; n < 30; n += 1) await harness.advance(100);
  expect(harness.asked).toEqual(Array.from({ length: 30 }, () => 'watermark'));
  harness.feed.watermark = 5;
  await harness.advance(100);
  expect(harness.asked.filter((what) => what === 'in feed')).toHaveLength(40);
});

it('ordered subscriptions that wait for another worker’s attempts are queried once a second, and cost nothing else', async () => {
  const harness = await waiting({ leased: true });
  for (let n = 0; n < 30; n += 1) await harness.advance(100);
  for (const what of ['due', 'outside feed', 'in feed']) {
    expect(harness.asked.filter((one) => one === what)).toHaveLength(3 * count);
  }
  expect(harness.asked).toHaveLength(3 * 4 * count);
});
