import { SigcastError } from '@sigcast/contracts';
import { expect, it } from 'vitest';
import { holdMs } from '../src/domain/lane.ts';
import { idleQueryMs } from '../src/domain/worker-lanes.ts';
import { failed, limits, retryMs, schedulerHarness, settled, timedOut } from './scheduler-harness.ts';

it('attempts to one subscription are never more at once than its limit, and are made oldest first', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 10);
  for (let n = 10; n > 0; n -= 1) {
    expect(harness.underWay.length).toBe(Math.min(n, limits.maxInFlight));
    harness.underWay[0]?.answer();
    await settled();
  }
  expect(harness.sent).toEqual(Array.from({ length: 10 }, (_, n) => `one:${n}`));
  expect([harness.left(), harness.scheduler.state.attempts]).toEqual([0, 0]);
});

it('attempts to a subscription that answers go on, however many others hang', async () => {
  const harness = schedulerHarness();
  for (let n = 0; n < 12; n += 1) {
    await harness.makeDue(`hangs-${n}`, 20);
    for (let hang = 0; hang < 8; hang += 1) {
      for (const { subscription, answer } of [...harness.underWay]) {
        if (subscription.startsWith('hangs')) answer(timedOut);
      }
      await harness.advance(1_000);
    }
  }
  expect(harness.scheduler.state.open).toBe(12);
  await harness.makeDue('answers', 50);
  for (let n = 0; n < 50; n += 1) {
    harness.underWay.find(({ subscription }) => subscription === 'answers')?.answer();
    await settled();
  }
  expect(harness.sent.filter((id) => id.startsWith('answers'))).toHaveLength(50);
});

it('an attempt has the duration that it took, however the clock is set meanwhile', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 2);
  for (const ms of [-500, 3_600_000]) {
    await harness.advance(ms);
    harness.underWay[0]?.answer();
    await settled();
  }
  for (const ms of harness.durationsMs) expect(ms).toBeGreaterThanOrEqual(0);
  expect(Math.max(...harness.durationsMs)).toBeLessThan(3_600_000);
  expect(harness.durationsMs).toHaveLength(2);
});

it('subscriptions with a backlog take turns', async () => {
  const harness = schedulerHarness();
  const names = Array.from({ length: 20 }, (_, n) => `s${n}`);
  for (const name of names) await harness.makeDue(name, 5);
  for (let n = 0; n < names.length * 3; n += 1) {
    harness.underWay[0]?.answer();
    await settled();
  }
  expect(new Set(harness.sent.map((id) => id.slice(0, id.indexOf(':')))).size).toBe(names.length);
});

it('attempts that fail are repeated at their time, and a lane with nothing due costs nothing until then', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 1);
  harness.underWay[0]?.answer(failed);
  await settled();
  harness.asked.length = 0;
  await harness.advance(retryMs - 1);
  expect([harness.underWay.length, harness.asked]).toEqual([0, []]);
  await harness.advance(1);
  harness.underWay[0]?.answer();
  await settled();
  expect(harness.left()).toBe(0);
  await harness.advance(holdMs - retryMs);
  expect(harness.lanes.get('one')).toBe(harness.now() + idleQueryMs * 0.75);
});

it('the first attempt of a new delivery begins at once without a query where a slot is free, and behind a backlog where there is one', async () => {
  const harness = schedulerHarness();
  await harness.open('new', 'one', 'other');
  expect([harness.sent, harness.asked]).toEqual([['one:new', 'other:new'], []]);
  await harness.makeDue('late', 120);
  await harness.open('new', 'late');
  while (harness.underWay.length > 0) {
    harness.underWay[0]?.answer();
    await settled();
  }
  expect(harness.sent.slice(2)).toEqual([...Array.from({ length: 120 }, (_, n) => `late:${n}`), 'late:new']);
});

it('a new delivery is due in the store before its worker begins, in case the worker dies, and at once where its lane belongs to another worker', async () => {
  const harness = schedulerHarness();
  harness.setOwns((id) => id === 'own');
  for (const id of ['own', 'others']) harness.lanes.set(id, harness.now() + idleQueryMs);
  await harness.open('new', 'own', 'others');
  expect(harness.sent).toEqual(['own:new']);
  expect(harness.lanes.get('own')).toBeLessThanOrEqual(harness.now() + holdMs + 1_000);
  expect(harness.lanes.get('others')).toBe(0);
});

it('a lane that was drained costs nothing more for new deliveries until its hold ends, and then one query', async () => {
  const harness = schedulerHarness();
  for (let n = 0; n < 5; n += 1) {
    await harness.open(`${n}`, 'one');
    harness.underWay[0]?.answer();
    await harness.advance(holdMs / 6);
  }
  expect([harness.sent.length, harness.asked]).toEqual([5, []]);
  await harness.advance(holdMs);
  expect(harness.asked).toEqual(['due']);
  expect(harness.lanes.get('one')).toBe(harness.now() + idleQueryMs * 0.75);
  expect(harness.scheduler.state.lanes).toBe(0);
});

it('a retry of a new delivery is attempted at its time, also behind the end of the hold', async () => {
  const harness = schedulerHarness();
  await harness.open('new', 'one');
  await harness.advance(holdMs - retryMs / 2);
  harness.underWay[0]?.answer(failed);
  await settled();
  await harness.advance(retryMs - 1);
  expect([harness.sent.length, harness.lanes.get('one')]).toEqual([1, harness.now() + 1]);
  await harness.advance(1);
  expect(harness.sent).toEqual(['one:new', 'one:new']);
});

it('attempts of crash-suspected deliveries are made one at a time, and hold nobody else up', async () => {
  const harness = schedulerHarness();
  for (const name of ['a', 'b', 'c']) await harness.makeDue(name, 1, { crashes: 2 });
  expect(harness.underWay.map(({ subscription }) => subscription)).toEqual(['a']);
  // Those in line have no lease, so a crash of the worker does not count against them.
  expect(['b:0', 'c:0'].map((id) => harness.deliveries.get(id)?.leased)).toEqual([false, false]);
  await harness.makeDue('healthy', 1);
  expect(harness.underWay.map(({ subscription }) => subscription)).toEqual(['a', 'healthy']);
  for (const name of ['a', 'b', 'c']) {
    harness.underWay.find(({ subscription }) => subscription === name)?.answer();
    await settled();
  }
  expect(harness.left()).toBe(1);
});

it('a delivery of an event that came before is queried, so that a crash-suspected one is not taken for a new one', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('a', 1, { crashes: 2 });
  const stored = { subscription: 'b', dueAt: harness.now(), leased: false, crashes: 2, ended: false };
  harness.deliveries.set('b:0', stored);
  await harness.notify('b');
  expect(harness.sent).toEqual(['a:0']);
  harness.underWay[0]?.answer();
  await settled();
  expect(harness.sent).toEqual(['a:0', 'b:0']);
});

it('a new delivery that can not be claimed yet, since the clock was set back a little, is attempted soon', async () => {
  const harness = schedulerHarness();
  const stored = { subscription: 'one', dueAt: harness.now() + 50, leased: false, crashes: 0, ended: false };
  harness.deliveries.set('one:new', stored);
  await harness.notify('one', 'one:new');
  expect(harness.sent).toEqual([]);
  await harness.advance(50);
  expect(harness.sent).toEqual(['one:new']);
});

it('attempts to a subscription that is disabled meanwhile are deferred, at no cost, until it is enabled', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 10);
  harness.disabled.set('one', new Date(harness.now()));
  for (const { answer } of [...harness.underWay]) answer();
  await settled();
  expect([harness.underWay.length, harness.left(), harness.scheduler.state.lanes]).toEqual([0, 7, 0]);
  harness.disabled.delete('one');
  harness.lanes.set('one', 0);
  await harness.advance(100);
  expect(harness.underWay).toHaveLength(3);
});

it('a store that is unavailable loses no outcome and no backlog', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 10);
  harness.setUnavailable(true);
  for (const { answer } of [...harness.underWay]) answer();
  await settled();
  expect(harness.left()).toBe(10);
  harness.setUnavailable(false);
  await settled();
  for (let n = 0; n < 20; n += 1) {
    harness.underWay[0]?.answer();
    await harness.advance(holdMs / 10);
  }
  expect([harness.left(), harness.underWay.length]).toEqual([0, 0]);
  expect(new Set(harness.sent).size).toBe(harness.sent.length);
  for (const problem of harness.problems) expect(problem).toBeInstanceOf(SigcastError);
});

it.each(['attempted', 'written'])(
  'a lane whose worker changes while its last delivery is %s, which fails, is marked for the other worker',
  async (during) => {
    const harness = schedulerHarness();
    await harness.makeDue('one', 1);
    const write = harness.hold('outcome');
    if (during === 'written') harness.underWay[0]?.answer(failed);
    await settled();
    harness.setOwns(() => false);
    await harness.scheduler.review();
    // The other worker has looked while the delivery was under way here, and found nothing.
    harness.lanes.set('one', harness.now() + idleQueryMs);
    harness.underWay[0]?.answer(failed);
    await settled();
    // Before the write, if it can: this worker may die behind it.
    if (during === 'attempted') expect(harness.lanes.get('one')).toBe(harness.now() + retryMs);
    write();
    await settled();
    // At once: the other worker may be about to release the lane until a later time.
    expect(harness.lanes.get('one')).toBe(0);
  },
);

it('what is due again is not overtaken by deliveries that are made after it, however many come', async () => {
  const harness = schedulerHarness();
  await harness.open('0', 'one');
  harness.underWay[0]?.answer(failed);
  await settled();
  for (let n = 1; n <= 5; n += 1) await harness.open(`${n}`, 'one');
  await harness.advance(retryMs);
  for (let n = 6; n <= 12; n += 1) {
    await harness.open(`${n}`, 'one');
    harness.underWay[0]?.answer();
    await settled();
  }
  expect(harness.sent.indexOf('one:6')).toBeGreaterThan(harness.sent.lastIndexOf('one:0'));
  expect(harness.sent.filter((id) => id === 'one:0')).toHaveLength(2);
});

it('a delivery that is made while its lane is released is due in the store soon', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 1);
  harness.underWay[0]?.answer();
  await settled();
  const release = harness.hold('release');
  await harness.advance(holdMs + 1_000);
  expect(harness.scheduler.state.lanes).toBe(0);
  const opened = harness.open('new', 'one');
  await settled();
  release();
  await opened;
  expect(harness.sent).toEqual(['one:0', 'one:new']);
  expect(harness.lanes.get('one')).toBeLessThanOrEqual(harness.now() + holdMs + 1_000);
});

it('a delivery that is made while a query of its lane finds nothing is attempted soon, though the lane is released meanwhile', async () => {
  const harness = schedulerHarness();
  const query = harness.hold('query');
  await harness.makeDue('one', 0);
  harness.setOwns((id) => id === 'one');
  const mark = harness.hold('mark');
  const opened = harness.open('new', 'one', 'others');
  await settled();
  query();
  await settled();
  expect(harness.scheduler.state.lanes).toBe(0);
  mark();
  await opened;
  await harness.advance(100);
  expect(harness.sent).toEqual(['one:new']);
});

it('a lane that another worker has found drained meanwhile is released until its next due time all the same', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 1);
  harness.lanes.set('one', harness.now() + idleQueryMs);
  harness.underWay[0]?.answer(failed);
  await settled();
  await harness.advance(retryMs);
  expect(harness.sent).toEqual(['one:0', 'one:0']);
  harness.underWay[0]?.answer();
  await settled();
  expect(harness.left()).toBe(0);
});

it('a lane is due in the store soon for as long as it is worked on', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 10);
  for (let n = 0; n < 6; n += 1) {
    await harness.advance(5_000);
    expect(harness.lanes.get('one')).toBeGreaterThan(harness.now());
    expect(harness.lanes.get('one')).toBeLessThanOrEqual(harness.now() + holdMs + 1_000);
  }
});

it('a lane whose subscription was deleted is forgotten when its hold has ended', async () => {
  const harness = schedulerHarness();
  await harness.open('new', 'one');
  harness.underWay[0]?.answer();
  await settled();
  harness.lanes.delete('one');
  expect(harness.scheduler.state.lanes).toBe(1);
  await harness.advance(holdMs + 1_001);
  await harness.scheduler.review();
  expect(harness.scheduler.state.lanes).toBe(0);
});

it('a lane that belongs to another worker now is dropped, and marked for the other', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 10);
  harness.setOwns(() => false);
  await harness.scheduler.review();
  expect(harness.lanes.get('one')).toBe(0);
  for (const { answer } of [...harness.underWay]) answer();
  await settled();
  expect([harness.left(), harness.underWay.length, harness.scheduler.state.lanes]).toEqual([7, 0, 0]);
});

it('a lane is left to others when the worker stops, after the attempts under way', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 10);
  const closing = harness.scheduler.close();
  await settled();
  expect(harness.underWay).toHaveLength(3);
  for (const { answer } of [...harness.underWay]) answer();
  await closing;
  expect([harness.left(), harness.underWay.length, harness.lanes.get('one')]).toEqual([7, 0, 0]);
});

it('a lane that is marked while it is released stays marked', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 1);
  harness.deliveries.set('one:late', {
    subscription: 'one',
    dueAt: harness.now(),
    leased: false,
    crashes: 0,
    ended: false,
  });
  harness.lanes.set('one', 0);
  harness.underWay[0]?.answer();
  await settled();
  expect(harness.lanes.get('one')).toBe(0);
  await harness.advance(100);
  expect(harness.sent).toEqual(['one:0', 'one:late']);
});

it('a poll that finds nothing due says when the next retry is, so that it comes in time however rare polls are', async () => {
  const harness = schedulerHarness();
  await harness.makeDue('one', 1);
  expect(await harness.scheduler.poll(retryMs)).toBe(0);
  harness.underWay[0]?.answer(failed);
  await settled();
  const dueInMs = (await harness.scheduler.poll(2 * retryMs)) ?? 0;
  expect(dueInMs).toBe(retryMs);
  expect(await harness.scheduler.poll(dueInMs - 1)).toBeUndefined();
  await harness.advance(dueInMs);
  expect(harness.sent).toEqual(['one:0', 'one:0']);
});
