import { describe, expect, it } from '@jest/globals';
import type { AttemptResult, Claimed } from '../src/domain/attempting.ts';
import type { Sent } from '../src/domain/delivery.ts';
import { Dispatcher } from '../src/domain/dispatcher.ts';
import { slowAttemptMs } from '../src/domain/slots.ts';
import { claimedFor } from './claimed.ts';

const succeeded: AttemptResult = { outcome: 'succeeded', http_status: 200, error: null, response_body: null };
const bounds = { maxInFlight: 3, maxAttempts: 12 };

/** Deliveries that are due by subscription, a receiver that answers when told, and a clock that is set. */
function workshop() {
  const due = new Map<string, string[]>();
  /** What is being sent, the longest under way first. */
  const underWay: { readonly subscription: string; answer(afterMs: number): void }[] = [];
  const sent: string[] = [];
  let now = 0;
  let storeAway = false;

  const claimed = (id: string, subscription: string): Claimed => {
    const made = claimedFor('https://receiver.example.com/');
    return { ...made, delivery: { ...made.delivery, id, subscription } };
  };
  const dispatcher = new Dispatcher({
    ...bounds,
    store: {
      claim: async (id) => {
        const subscription = subscriptionOf(id);
        const left = due.get(subscription) ?? [];
        if (!left.includes(id)) return undefined;
        due.set(
          subscription,
          left.filter((one) => one !== id),
        );
        return claimed(id, subscription);
      },
      claimNext: async (subscription) => {
        if (storeAway) throw new Error('away');
        const id = due.get(subscription)?.shift();
        return id === undefined ? undefined : claimed(id, subscription);
      },
      complete: async () => true,
      release: async () => undefined,
      quarantine: async () => undefined,
      takeStranded: async () => [],
    },
    send: ({ delivery: { subscription } }) =>
      new Promise<Sent<AttemptResult>>((resolve) => {
        sent.push(subscription);
        const attempt = {
          subscription,
          answer: (afterMs: number) => {
            underWay.splice(underWay.indexOf(attempt), 1);
            now += afterMs;
            resolve({ kind: 'done', ...succeeded });
          },
        };
        underWay.push(attempt);
      }),
    schedule: [],
    wait: async () => undefined,
    ended: async () => undefined,
    subscriptionOf,
    now: () => now,
    random: () => 0,
    pause: async () => undefined,
    onProblem: () => undefined,
    onAttempt: () => undefined,
  });
  const away = (is: boolean) => {
    storeAway = is;
  };
  return { due, underWay, sent, dispatcher, away };
}

function subscriptionOf(id: string): string {
  return id.slice(0, id.indexOf(':'));
}

/** Everything that follows from what has happened, without timers, is over then. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Makes deliveries due, and tells of each as its message does. */
async function fall(shop: ReturnType<typeof workshop>, subscription: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => `${subscription}:${n}`);
  shop.due.set(subscription, ids);
  await Promise.all(ids.map((id) => shop.dispatcher.take(id)));
  await settled();
}

const left = (shop: ReturnType<typeof workshop>) => [...shop.due.values()].flat().length;

describe('attempts', () => {
  it('to one subscription are never more at once than its share', async () => {
    const shop = workshop();
    await fall(shop, 'one', 10);
    expect(shop.underWay).toHaveLength(bounds.maxInFlight);
    for (let n = 10; n > 0; n--) {
      expect(shop.underWay.length).toBe(Math.min(n, bounds.maxInFlight));
      shop.underWay[0]?.answer(1);
      await settled();
    }
    expect([shop.underWay.length, left(shop), shop.dispatcher.size]).toEqual([0, 0, 0]);
  });

  it('to a subscription that answers go on, however many others hang', async () => {
    const shop = workshop();
    for (let n = 0; n < 50; n++) await fall(shop, `hangs-${n}`, 5);
    expect(shop.underWay).toHaveLength(bounds.maxAttempts / 2);
    await fall(shop, 'answers', 100);
    // It has yet to show that it does, and waits behind the others once.
    while (!shop.sent.includes('answers')) {
      shop.underWay[0]?.answer(slowAttemptMs * 5);
      await settled();
    }
    for (let n = 0; n < 100; n++) {
      shop.underWay.find(({ subscription }) => subscription === 'answers')?.answer(1);
      await settled();
    }
    expect(shop.sent.filter((one) => one === 'answers')).toHaveLength(100);
    expect(shop.dispatcher.size).toBeLessThanOrEqual(bounds.maxAttempts / 2);
  });

  it('are shared out in turn among those with a backlog', async () => {
    const shop = workshop();
    const names = Array.from({ length: 20 }, (_, n) => `s${n}`);
    for (const name of names) await fall(shop, name, 5);
    for (let n = 0; n < names.length; n++) {
      shop.underWay[0]?.answer(slowAttemptMs * 5);
      await settled();
    }
    expect(new Set(shop.sent).size).toBe(names.length);
  });

  it('are all made, and every slot is free at the end', async () => {
    const shop = workshop();
    for (let n = 0; n < 30; n++) await fall(shop, `s${n}`, 1 + (n % 7));
    for (let n = 0; shop.underWay.length > 0; n++) {
      const slow = Number(shop.underWay[0]?.subscription.slice(1)) % 3 === 0;
      shop.underWay[n % shop.underWay.length]?.answer(slow ? slowAttemptMs * 2 : 1);
      await settled();
    }
    expect([left(shop), shop.dispatcher.size, shop.dispatcher.backlogged]).toEqual([0, 0, 0]);
  });

  it('are made of what was refused a slot that is given back without an attempt', async () => {
    const shop = workshop();
    while (shop.dispatcher.tryReserve('one'));
    await fall(shop, 'one', 10);
    expect(shop.underWay).toHaveLength(0);
    for (let n = 0; n < bounds.maxInFlight; n++) shop.dispatcher.free('one');
    await settled();
    expect(shop.underWay).toHaveLength(bounds.maxInFlight);
  });

  it('go on with a backlog at the next delivery after the store was away', async () => {
    const shop = workshop();
    await fall(shop, 'one', 10);
    shop.away(true);
    for (const { answer } of [...shop.underWay]) answer(1);
    await settled();
    expect([shop.underWay.length, left(shop)]).toEqual([0, 7]);
    shop.away(false);
    await shop.dispatcher.take('one:9');
    for (let n = 0; n < 7; n++) {
      await settled();
      shop.underWay[0]?.answer(1);
    }
    await settled();
    expect([shop.underWay.length, left(shop)]).toEqual([0, 0]);
  });
});
