import { describe, expect, it } from '@jest/globals';
import { bounds, failed, settled, succeeded, workshop } from './workshop.ts';

type Shop = ReturnType<typeof workshop>;
const target = 'https://target.example.com/hook';

/** So many subscriptions of one account at one address. */
function crowd(shop: Shop, count: number, { proven = false, account = 'acct_crowd' } = {}): string[] {
  const names = Array.from({ length: count }, (_, n) => `${account}-${n}`);
  for (const name of names) {
    shop.accounts.set(name, account);
    shop.urls.set(name, target);
  }
  if (!proven) shop.unproven.add(target);
  return names;
}

/** Lets time pass, every request being refused as soon as it is made. @returns the most that were under way at once. */
async function refusing(shop: Shop, ms: number): Promise<number> {
  let most = 0;
  for (let passed = 0; passed < ms; passed += 500) {
    most = Math.max(most, shop.underWay.length);
    while (shop.underWay.length > 0) {
      shop.underWay[0]?.answer(failed);
      await settled();
      most = Math.max(most, shop.underWay.length);
    }
    await shop.pass(500);
  }
  return most;
}

describe('an address that has yet to answer with success', () => {
  it('gets one request at a time with growing pauses, and its first success lets everything flow', async () => {
    const shop = workshop();
    crowd(shop, 1);
    await shop.fall('acct_crowd-0', 50);
    expect(await refusing(shop, 14_000)).toBe(1);
    // At 0, 1, 3 and 7 seconds.
    expect(shop.sent).toHaveLength(4);
    await shop.pass(1_000);
    expect(shop.underWay).toHaveLength(1);
    shop.underWay[0]?.answer();
    await settled();
    expect(shop.underWay).toHaveLength(bounds.maxInFlight);
    while (shop.underWay.length > 0) {
      shop.underWay[0]?.answer();
      await settled();
    }
    await shop.pass(10_000);
    while (shop.underWay.length > 0) {
      shop.underWay[0]?.answer();
      await settled();
    }
    expect(shop.left()).toBe(0);
  });

  it('gets no second request for a new event while the first is under way, and none within a pause', async () => {
    const shop = workshop();
    crowd(shop, 1);
    const reserve = (id: string) => shop.scheduler.tryReserve(shop.recipient('acct_crowd-0'), id);
    expect([reserve('one'), reserve('two')]).toEqual([true, false]);
    shop.scheduler.free('acct_crowd-0', 'one');
    await shop.fall('acct_crowd-0', 1);
    shop.underWay[0]?.answer(failed);
    await settled();
    expect(reserve('two')).toBe(false);
    await shop.pass(1_000);
    expect(reserve('two')).toBe(true);
  });

  it('gets few requests, however many subscriptions of an account point at it and however often all is recovered', async () => {
    const requests = async (proven: boolean) => {
      const shop = workshop();
      const names = crowd(shop, 20, { proven });
      const most: number[] = [];
      for (let recovery = 0; recovery < 20; recovery += 1) {
        for (const name of names) await shop.fall(name, 50);
        most.push(await refusing(shop, 3_000));
      }
      return { sent: shop.sent.length, most: Math.max(...most) };
    };
    expect(await requests(true)).toEqual({ sent: 20_000, most: 2 * bounds.maxInFlight });
    // Each subscription's at 0, 1, 3, 7, 15 and 31 seconds of the minute.
    expect(await requests(false)).toEqual({ sent: 20 * 6, most: 1 });
  });

  it('is not held up by another address of the account at the same host that hangs', async () => {
    const shop = workshop();
    const [hanging = '', other = ''] = crowd(shop, 2);
    shop.urls.set(other, `${target}/other`);
    shop.unproven.add(`${target}/other`);
    await shop.fall(hanging, 3);
    await shop.fall(other, 3);
    expect(shop.underWay.map(({ subscription }) => subscription)).toEqual([hanging, other]);
  });

  it('that replaces a proven one gets one request at a time, whatever waits', async () => {
    const shop = workshop();
    await shop.fall('one', 20);
    expect(shop.underWay).toHaveLength(bounds.maxInFlight);
    shop.urls.set('one', target);
    shop.unproven.add(target);
    while (shop.underWay.length > 1) shop.underWay[0]?.answer();
    shop.underWay[0]?.answer();
    await settled();
    expect(await refusing(shop, 3_000)).toBe(1);
    expect(shop.sent.length - bounds.maxInFlight).toBe(2);
  });

  it('replaced by another one, leaves that one no pause', async () => {
    const shop = workshop();
    crowd(shop, 1);
    const name = 'acct_crowd-0';
    await shop.fall(name, 10);
    await refusing(shop, 20_000);
    expect(shop.underWay).toHaveLength(0);
    const corrected = 'https://corrected.example.com/';
    shop.urls.set(name, corrected);
    shop.unproven.add(corrected);
    shop.lanes.set(name, 0);
    await shop.pass(100);
    expect(shop.underWay).toHaveLength(1);
  });
});

describe("an account's requests to one host", () => {
  it('are bounded, whatever subscriptions it has there, which take turns', async () => {
    const shop = workshop();
    const names = crowd(shop, 10, { proven: true });
    for (const name of names) await shop.fall(name, 5);
    const most = 2 * bounds.maxInFlight;
    for (let n = 0; n < 3 * names.length; n += 1) {
      expect(shop.underWay).toHaveLength(most);
      shop.underWay[0]?.answer(succeeded);
      await settled();
    }
    expect(new Set(shop.underWay.map(({ subscription }) => subscription)).size).toBeGreaterThan(1);
    expect(new Set(shop.sent.map((id) => id.split(':')[0])).size).toBe(names.length);
    while (shop.underWay.length > 0) {
      shop.underWay[0]?.answer();
      await settled();
    }
    expect([shop.left(), shop.scheduler.state.lanes]).toEqual([0, 0]);
  });

  it('leave their places to others as soon as they are answered, though no outcome is written for long', async () => {
    const shop = workshop();
    const write = shop.holdOutcomes();
    for (const name of crowd(shop, 10, { proven: true })) await shop.fall(name, 5);
    const most = 2 * bounds.maxInFlight;
    let atOnce = 0;
    while (shop.underWay.length > 0) {
      atOnce = Math.max(atOnce, shop.underWay.length);
      shop.underWay[0]?.answer();
      await settled();
    }
    // What waits to be written is bounded by what a worker attempts at once.
    expect([atOnce, shop.sent.length]).toEqual([most, bounds.maxAttempts]);
    write();
    await settled();
    while (shop.underWay.length > 0) {
      atOnce = Math.max(atOnce, shop.underWay.length);
      shop.underWay[0]?.answer();
      await settled();
    }
    expect([atOnce, shop.sent.length, shop.left()]).toEqual([most, 50, 0]);
  });

  it('take nothing from what another account may send there', async () => {
    const shop = workshop();
    for (const name of crowd(shop, 10, { proven: true })) await shop.fall(name, 5);
    const [other = ''] = crowd(shop, 1, { proven: true, account: 'acct_other' });
    await shop.fall(other, 5);
    expect(shop.underWay.filter(({ subscription }) => subscription === other)).toHaveLength(
      bounds.maxInFlight,
    );
  });
});
