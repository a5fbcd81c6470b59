import { unavailable } from '@sigcast/contracts';
import type { AttemptResult, Claimed } from '../src/domain/attempting.ts';
import { Scheduler } from '../src/domain/scheduler.ts';
import { claimedFor } from './claimed.ts';

export const succeeded: AttemptResult = {
  outcome: 'succeeded',
  http_status: 200,
  error: null,
  response_body: null,
};
export const failed: AttemptResult = {
  outcome: 'bad_status',
  http_status: 500,
  error: null,
  response_body: null,
};
export const timedOut: AttemptResult = {
  outcome: 'timeout',
  http_status: null,
  error: null,
  response_body: null,
};
export const bounds = { maxInFlight: 3, maxAttempts: 20 };
export const retryMs = 10_000;

type Stored = {
  place?: number;
  subscription: string;
  dueAt: number;
  leased: boolean;
  crashes: number;
  ended: boolean;
};

/** Deliveries and lanes as a store keeps them, receivers that answer when told, and a clock that is set. */
export function workshop() {
  const deliveries = new Map<string, Stored>();
  const lanes = new Map<string, number>();
  const disabled = new Map<string, Date>();
  /** Addresses that are not proven; each subscription has one of its own unless said otherwise. */
  const unproven = new Set<string>();
  const ordered = new Set<string>();
  const urls = new Map<string, string>();
  const accounts = new Map<string, string>();
  const addressOf = (subscription: string) => {
    const url = urls.get(subscription) ?? `https://${subscription}.example.com/`;
    return {
      account: accounts.get(subscription) ?? subscription,
      url,
      proven: !unproven.has(url),
      ordered: ordered.has(subscription),
    };
  };
  const underWay: {
    readonly id: string;
    readonly subscription: string;
    answer(result?: AttemptResult): void;
  }[] = [];
  const sent: string[] = [];
  const problems: unknown[] = [];
  /** Up to which place all deliveries are made. */
  const feed = { madeUpTo: Number.POSITIVE_INFINITY };
  /** Which questions about what is due were asked of the store, and about the feed. */
  const asked: ('due' | 'beside' | 'order' | 'feed')[] = [];
  let nowMs = 1_000_000;
  let away = false;
  let hiding: Promise<void> = Promise.resolve();
  let writing: Promise<void> = Promise.resolve();
  let owns = (_subscription: string) => true;
  const there = async () => {
    if (away) throw unavailable('The store');
  };
  const mark = (subscription: string, at: number) => {
    lanes.set(subscription, Math.min(lanes.get(subscription) ?? Number.POSITIVE_INFINITY, at));
  };
  const claimed = (id: string, { subscription, crashes }: Stored): Claimed => {
    const made = claimedFor('https://receiver.example.com/');
    const { account, ...address } = addressOf(subscription);
    return { ...made, ...address, delivery: { ...made.delivery, id, account, subscription, crashes } };
  };
  const scheduler = new Scheduler({
    ...bounds,
    attempts: {
      oldestPending: async (subscription, { limit, since }) => {
        asked.push('due');
        await there();
        return [...deliveries]
          .filter(([, one]) => one.subscription === subscription && !one.leased && !one.ended && !since)
          .sort(([, a], [, b]) => a.dueAt - b.dueAt)
          .slice(0, limit)
          .map(([id, { dueAt, crashes, place }]) => ({ id, dueAt: new Date(dueAt), crashes, place }));
      },
      besideOrder: async (subscription, limit) => {
        asked.push('beside');
        await there();
        return [...deliveries]
          .filter(([, one]) => one.subscription === subscription && !one.leased && !one.ended)
          .filter(([, { place }]) => place === 0)
          .sort(([, a], [, b]) => a.dueAt - b.dueAt)
          .slice(0, limit)
          .map(([id, { dueAt, crashes, place }]) => ({ id, dueAt: new Date(dueAt), crashes, place }));
      },
      inOrder: async (subscription, limit) => {
        asked.push('order');
        await there();
        return [...deliveries]
          .flatMap(([id, { place, dueAt, crashes, leased, ended, ...one }]) =>
            !place || ended || one.subscription !== subscription
              ? []
              : [{ id, place, dueAt: new Date(dueAt), crashes, leased }],
          )
          .sort((a, b) => a.place - b.place)
          .slice(0, limit);
      },
      fannedOutUpTo: async () => {
        asked.push('feed');
        return feed.madeUpTo;
      },
      claim: async (id, { proven }): Promise<Claimed | 'held' | undefined> => {
        await there();
        const one = deliveries.get(id);
        if (!one || one.leased || one.ended || one.dueAt > nowMs) return undefined;
        if (disabled.has(one.subscription) || (proven && !addressOf(one.subscription).proven)) return 'held';
        one.leased = true;
        return claimed(id, one);
      },
      complete: async ({ delivery }, { status, nextAttemptAt }) => {
        await writing;
        await there();
        const one = deliveries.get(delivery.id);
        if (!one) return false;
        Object.assign(one, { leased: false, ended: status !== 'pending' });
        if (nextAttemptAt) one.dueAt = nextAttemptAt.getTime();
        return true;
      },
    },
    lanes: {
      takeDue: async (isOwn, hiddenUntil, limit) => {
        await there();
        const due = [...lanes]
          .filter(([id, at]) => at <= nowMs && isOwn(addressOf(id).account))
          .slice(0, limit);
        for (const [id] of due) lanes.set(id, hiddenUntil.getTime());
        return due.map(([id]) => ({ id, disabledAt: disabled.get(id), ...addressOf(id) }));
      },
      hide: async (ids, until) => {
        await hiding;
        await there();
        for (const { id, dueAt } of ids) {
          if (dueAt.getTime() > nowMs && lanes.get(id) === dueAt.getTime()) lanes.set(id, until.getTime());
        }
      },
      settle: async (id, expected, dueAt) => {
        await there();
        if (lanes.get(id) === expected.getTime()) lanes.set(id, dueAt.getTime());
      },
      markDue: async (ids) => {
        await there();
        for (const id of ids) mark(id, 0);
      },
      prove: async (id, url) => {
        await there();
        if (addressOf(id).url === url) unproven.delete(url);
      },
      markDueAt: async (id, at) => {
        await there();
        mark(id, at.getTime());
      },
    },
    membership: { owns: (id) => owns(id), alive: true },
    send: ({ delivery: { id, subscription } }) =>
      new Promise<AttemptResult>((resolve) => {
        sent.push(id);
        const attempt = {
          ...{ id, subscription },
          answer: (result = succeeded) => {
            underWay.splice(underWay.indexOf(attempt), 1);
            resolve(result);
          },
        };
        underWay.push(attempt);
      }),
    retryDelaysMs: [retryMs],
    now: () => nowMs,
    random: () => 0.5,
    pause: () => settled(),
    ended: async () => undefined,
    onAttempt: () => undefined,
    onProblem: (error) => problems.push(error),
  });
  return {
    ...{
      deliveries,
      lanes,
      disabled,
      unproven,
      ordered,
      feed,
      asked,
      urls,
      accounts,
      underWay,
      sent,
      scheduler,
      problems,
    },
    recipient: (id: string) => ({ ...addressOf(id), id, secrets: [], failing: null, held: false }),
    pass: async (ms: number) => {
      nowMs += ms;
      await scheduler.poll().catch(() => undefined);
      await settled();
    },
    setAway: (is: boolean) => {
      away = is;
    },
    /** Lets the next hiding of lanes last until the function that is returned is called. */
    holdHiding: () => {
      let end: () => void = () => undefined;
      hiding = new Promise((resolve) => {
        end = resolve;
      });
      return () => end();
    },
    /** Lets no outcome be written until the function that is returned is called. */
    holdOutcomes: () => {
      const held = Promise.withResolvers<void>();
      writing = held.promise;
      return () => held.resolve();
    },
    setOwns: (check: (subscription: string) => boolean) => {
      owns = check;
    },
    /** Makes so many deliveries due, each a millisecond after the one before. */
    fall: async (subscription: string, count: number, { crashes = 0 } = {}) => {
      for (let n = 0; n < count; n += 1) {
        const dueAt = nowMs - 1_000 + n;
        deliveries.set(`${subscription}:${n}`, { subscription, dueAt, leased: false, crashes, ended: false });
      }
      mark(subscription, 0);
      await scheduler.poll();
      await settled();
    },
    left: () => [...deliveries.values()].filter(({ ended }) => !ended).length,
    now: () => nowMs,
  };
}

/** Everything that follows from what has happened, without timers, is over then. */
export async function settled(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
}
