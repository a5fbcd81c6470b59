import { describe, expect, it } from '@jest/globals';
import { SigcastError } from '@sigcast/contracts';
import { hiddenMs, idleLookMs } from '../src/domain/lanes-in-hand.ts';
import { claimedFor } from './claimed.ts';
import { bounds, failed, retryMs, settled, timedOut, workshop } from './workshop.ts';

describe('attempts', () => {
  it('to one subscription are never more at once than its limit, and are made oldest first', async () => {
    const shop = workshop();
    await shop.fall('one', 10);
    for (let n = 10; n > 0; n -= 1) {
      expect(shop.underWay.length).toBe(Math.min(n, bounds.maxInFlight));
      shop.underWay[0]?.answer();
      await settled();
    }
    expect(shop.sent).toEqual(Array.from({ length: 10 }, (_, n) => `one:${n}`));
    expect([shop.left(), shop.scheduler.state.attempts, shop.scheduler.state.lanes]).toEqual([0, 0, 0]);
  });

  it('to a subscription that answers go on, however many others hang', async () => {
    const shop = workshop();
    for (let n = 0; n < 12; n += 1) {
      await shop.fall(`hangs-${n}`, 20);
      for (let hang = 0; hang < 8; hang += 1) {
        for (const { subscription, answer } of [...shop.underWay]) {
          if (subscription.startsWith('hangs')) answer(timedOut);
        }
        await shop.pass(1_000);
      }
    }
    expect(shop.scheduler.state.open).toBe(12);
    await shop.fall('answers', 50);
    for (let n = 0; n < 50; n += 1) {
      shop.underWay.find(({ subscription }) => subscription === 'answers')?.answer();
      await settled();
    }
    expect(shop.sent.filter((id) => id.startsWith('answers'))).toHaveLength(50);
  });

  it('are shared out in turn among those with a backlog', async () => {
    const shop = workshop();
    const names = Array.from({ length: 20 }, (_, n) => `s${n}`);
    for (const name of names) await shop.fall(name, 5);
    for (let n = 0; n < names.length * 3; n += 1) {
      shop.underWay[0]?.answer();
      await settled();
    }
    expect(new Set(shop.sent.map((id) => id.slice(0, id.indexOf(':')))).size).toBe(names.length);
  });

  it('that fail come again at their time, and a lane with nothing due costs nothing until then', async () => {
    const shop = workshop();
    await shop.fall('one', 1);
    shop.underWay[0]?.answer(failed);
    await settled();
    expect(shop.lanes.get('one')).toBe(shop.now() + retryMs);
    await shop.pass(retryMs - 1);
    expect(shop.underWay).toHaveLength(0);
    await shop.pass(1);
    shop.underWay[0]?.answer();
    await settled();
    expect(shop.left()).toBe(0);
    expect(shop.lanes.get('one')).toBe(shop.now() + idleLookMs * 0.75);
  });

  it('of a new delivery begin at once where there is room, and behind a backlog where there is one', async () => {
    const shop = workshop();
    expect(shop.scheduler.tryReserve(shop.recipient('one'), 'one:new')).toBe(true);
    expect(shop.scheduler.hasInHand('one:new')).toBe(true);
    shop.scheduler.free('one', 'one:new');
    expect(shop.scheduler.hasInHand('one:new')).toBe(false);
    await shop.fall('one', 10);
    expect(shop.scheduler.tryReserve(shop.recipient('one'), 'one:new')).toBe(false);
    expect(shop.scheduler.noticeDue('one')).toBe(true);
    expect(shop.scheduler.noticeDue('another')).toBe(false);
  });

  it('of a failed first attempt outside any lane are found again by its mark', async () => {
    const shop = workshop();
    shop.deliveries.set('one:0', {
      ...{ subscription: 'one', dueAt: shop.now(), leased: true, crashes: 0, ended: false },
    });
    expect(shop.scheduler.tryReserve(shop.recipient('one'), 'one:0')).toBe(true);
    const made = claimedFor('https://receiver.example.com/');
    shop.scheduler.start({ ...made, delivery: { ...made.delivery, id: 'one:0', subscription: 'one' } });
    await settled();
    shop.underWay[0]?.answer(failed);
    await settled();
    await shop.pass(retryMs);
    expect(shop.sent).toEqual(['one:0', 'one:0']);
  });

  it('of deliveries that two workers died of are made one at a time, and hold nobody else up', async () => {
    const shop = workshop();
    for (const name of ['a', 'b', 'c']) await shop.fall(name, 1, { crashes: 2 });
    expect(shop.underWay.map(({ subscription }) => subscription)).toEqual(['a']);
    // In line, they are under nobody's lease: a worker that dies now does not count against them.
    expect(['b:0', 'c:0'].map((id) => shop.deliveries.get(id)?.leased)).toEqual([false, false]);
    await shop.fall('healthy', 1);
    expect(shop.underWay.map(({ subscription }) => subscription)).toEqual(['a', 'healthy']);
    for (const name of ['a', 'b', 'c']) {
      shop.underWay.find(({ subscription }) => subscription === name)?.answer();
      await settled();
    }
    expect(shop.left()).toBe(1);
  });

  it('to a subscription that is disabled meanwhile are held, at no cost, until it is enabled', async () => {
    const shop = workshop();
    await shop.fall('one', 10);
    shop.disabled.set('one', new Date(shop.now()));
    for (const { answer } of [...shop.underWay]) answer();
    await settled();
    expect([shop.underWay.length, shop.left(), shop.scheduler.state.lanes]).toEqual([0, 7, 0]);
    shop.disabled.delete('one');
    shop.lanes.set('one', 0);
    await shop.pass(100);
    expect(shop.underWay).toHaveLength(3);
  });
});

describe('a store that is away', () => {
  it('loses no outcome and no backlog', async () => {
    const shop = workshop();
    await shop.fall('one', 10);
    shop.setAway(true);
    for (const { answer } of [...shop.underWay]) answer();
    await settled();
    expect(shop.left()).toBe(10);
    shop.setAway(false);
    await settled();
    for (let n = 0; n < 20; n += 1) {
      shop.underWay[0]?.answer();
      await shop.pass(hiddenMs / 10);
    }
    expect([shop.left(), shop.underWay.length]).toEqual([0, 0]);
    expect(new Set(shop.sent).size).toBe(shop.sent.length);
    for (const problem of shop.problems) expect(problem).toBeInstanceOf(SigcastError);
  });
});

describe('a lane', () => {
  it('whose worker changes while its last delivery fails is marked for the other worker', async () => {
    const shop = workshop();
    await shop.fall('one', 1);
    shop.setOwns(() => false);
    await shop.scheduler.keepHidden();
    // The other worker has looked while the delivery was under way here, and found nothing.
    shop.lanes.set('one', shop.now() + idleLookMs);
    shop.underWay[0]?.answer(failed);
    await settled();
    expect(shop.lanes.get('one')).toBe(0);
  });

  it('that is drained while lanes are being hidden says its next time all the same', async () => {
    const shop = workshop();
    await shop.fall('one', 1);
    await shop.pass(5_000);
    const end = shop.holdHiding();
    const hiding = shop.scheduler.keepHidden();
    shop.underWay[0]?.answer(failed);
    await settled();
    end();
    await hiding;
    await settled();
    expect(shop.lanes.get('one')).toBe(shop.now() + retryMs);
  });

  it('that was given back meanwhile is not hidden again', async () => {
    const shop = workshop();
    await shop.fall('one', 1);
    // Given back with a retry that comes soon, after the look at what is in hand.
    shop.lanes.set('one', shop.now() + 3_000);
    await shop.scheduler.keepHidden();
    expect(shop.lanes.get('one')).toBe(shop.now() + 3_000);
  });

  it('in hand stays hidden from others for as long as it is worked on', async () => {
    const shop = workshop();
    await shop.fall('one', 10);
    for (let n = 0; n < 6; n += 1) {
      await shop.pass(5_000);
      await shop.scheduler.keepHidden();
      expect(shop.lanes.get('one')).toBe(shop.now() + hiddenMs);
    }
  });

  it('that is another worker’s now is given up, and marked for the other', async () => {
    const shop = workshop();
    await shop.fall('one', 10);
    shop.setOwns(() => false);
    await shop.scheduler.keepHidden();
    expect(shop.lanes.get('one')).toBe(0);
    for (const { answer } of [...shop.underWay]) answer();
    await settled();
    expect([shop.left(), shop.underWay.length, shop.scheduler.state.lanes]).toEqual([7, 0, 0]);
  });

  it('is left to others when the worker stops, after the attempts under way', async () => {
    const shop = workshop();
    await shop.fall('one', 10);
    const closing = shop.scheduler.close();
    await settled();
    expect(shop.underWay).toHaveLength(3);
    for (const { answer } of [...shop.underWay]) answer();
    await closing;
    expect([shop.left(), shop.underWay.length, shop.lanes.get('one')]).toEqual([7, 0, 0]);
  });

  it('that is marked while it is given back stays marked', async () => {
    const shop = workshop();
    await shop.fall('one', 1);
    shop.deliveries.set('one:late', {
      ...{ subscription: 'one', dueAt: shop.now(), leased: false, crashes: 0, ended: false },
    });
    shop.lanes.set('one', 0);
    shop.underWay[0]?.answer();
    await settled();
    expect(shop.lanes.get('one')).toBe(0);
    await shop.pass(100);
    expect(shop.sent).toEqual(['one:0', 'one:late']);
  });
});
