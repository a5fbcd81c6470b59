import { expect, it } from 'vitest';
import { failed, retryMs, schedulerHarness, settled } from './scheduler-harness.ts';

/** An ordered subscription whose events are put together. */
function batchLane(terms: { max: number; waitMs: number; everyMs?: number }) {
  const harness = schedulerHarness();
  harness.ordered.add('one');
  harness.batches.set('one', terms);
  let sequence = 0;
  /** Makes events that become due now, as the fan-out does. */
  const open = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      sequence += 1;
      const id = `one:${sequence}`;
      const state = { subscription: 'one', dueAt: harness.now(), leased: false, crashes: 0, ended: false };
      harness.deliveries.set(id, { ...state, sequence });
      await harness.notify('one', id);
    }
  };
  const answer = async (...result: Parameters<(typeof harness.underWay)[number]['answer']>) => {
    expect(harness.underWay).toHaveLength(1);
    harness.underWay[0]?.answer(...result);
    await settled();
  };
  return { ...harness, open, answer };
}

it('events of a batch are sent in one request in the order of the feed, at most as many as it says', async () => {
  const harness = batchLane({ max: 3, waitMs: 500 });
  await harness.open(1);
  await harness.open(6);
  expect(harness.sent).toEqual(['one:1 one:2 one:3']);
  await harness.answer();
  expect(harness.sent.slice(1)).toEqual(['one:4 one:5 one:6']);
  await harness.answer();
  await harness.advance(500);
  await harness.answer();
  expect(harness.sent.slice(2)).toEqual(['one:7']);
  expect([harness.underWay.length, harness.left()]).toEqual([0, 0]);
});

it('an event waits for others as long as its batch says', async () => {
  const harness = batchLane({ max: 100, waitMs: 500 });
  await harness.open(1);
  await harness.advance(300);
  await harness.open(2);
  await harness.advance(199);
  expect(harness.sent).toEqual([]);
  await harness.advance(1);
  expect(harness.sent).toEqual(['one:1 one:2 one:3']);
});

it('a batch that waits costs one more query, whatever comes meanwhile', async () => {
  const harness = batchLane({ max: 100, waitMs: 500 });
  await harness.open(1);
  harness.asked.length = 0;
  for (let n = 0; n < 5; n += 1) {
    await harness.open(5);
    await harness.advance(50);
  }
  expect(harness.asked).toEqual([]);
  await harness.advance(250);
  expect(harness.asked.filter((what) => what === 'in feed')).toHaveLength(1);
});

it('a batch that fails is sent again with the same events, however many wait behind it', async () => {
  const harness = batchLane({ max: 10, waitMs: 0 });
  await harness.open(2);
  await harness.answer();
  await harness.answer(failed);
  await harness.open(3);
  await harness.advance(retryMs - 1);
  expect(harness.underWay).toEqual([]);
  await harness.advance(1);
  await harness.answer();
  await harness.answer();
  expect(harness.sent).toEqual(['one:1', 'one:2', 'one:2', 'one:3 one:4 one:5']);
});

it('what could not be sent together with a delivery goes next, before what was listed behind it', async () => {
  const harness = batchLane({ max: 3, waitMs: 0 });
  harness.alone.add('one:2');
  await harness.open(1);
  await harness.open(6);
  await harness.answer();
  await harness.answer();
  expect(harness.sent).toEqual(['one:1', 'one:2', 'one:3 one:4 one:5']);
});

it('a chat that asks to wait gets nothing in that time, whatever of its account is due', async () => {
  const harness = batchLane({ max: 10, waitMs: 0, everyMs: 1_000 });
  await harness.open(1);
  await harness.answer({ ...failed, retryAfterMs: 60_000 });
  const state = { subscription: 'one', dueAt: harness.now(), leased: false, crashes: 0, ended: false };
  harness.deliveries.set('one:test', { ...state, sequence: 0 });
  harness.lanes.set('one', 0);
  await harness.advance(59_999);
  expect(harness.sent).toEqual(['one:1']);
  await harness.advance(1);
  expect(harness.underWay).toHaveLength(1);
});

it('tests and notices are sent alone, at once', async () => {
  const harness = batchLane({ max: 10, waitMs: 5_000 });
  await harness.open(1);
  const state = { subscription: 'one', dueAt: harness.now(), leased: false, crashes: 0, ended: false };
  harness.deliveries.set('one:test', { ...state, sequence: 0 });
  harness.lanes.set('one', 0);
  await harness.advance(100);
  await harness.answer();
  expect(harness.sent).toEqual(['one:test']);
});

it('an address with a pace gets one attempt in that time, of all subscriptions of its account', async () => {
  const harness = batchLane({ max: 10, waitMs: 0, everyMs: 1_000 });
  harness.ordered.add('two');
  harness.batches.set('two', { max: 10, waitMs: 0, everyMs: 1_000 });
  harness.accounts.set('two', 'one');
  harness.urls.set('two', 'https://one.example.com/');
  await harness.open(1);
  await harness.answer();
  harness.deliveries.set('two:1', {
    subscription: 'two',
    dueAt: harness.now(),
    leased: false,
    crashes: 0,
    ended: false,
    sequence: 1,
  });
  await harness.notify('two', 'two:1');
  await harness.open(2);
  await harness.advance(999);
  expect(harness.sent).toEqual(['one:1']);
  await harness.advance(1);
  expect(harness.underWay).toHaveLength(1);
  await harness.answer();
  await harness.advance(1_000);
  await harness.answer();
  expect(harness.sent.slice(1).sort()).toEqual(['one:2 one:3', 'two:1']);
});
