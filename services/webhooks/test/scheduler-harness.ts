import { unavailable } from '@sigcast/contracts';
import type { AttemptResult, BatchTerms, ClaimedDelivery } from '../src/domain/attempt-ports.ts';
import type { KeptBatch } from '../src/domain/delivery.ts';
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
export const limits = { maxInFlight: 3, maxPerHost: 500, maxAttempts: 20 };
export const retryMs = 10_000;

/** What an attempt came to. */
type Answered = AttemptResult & { readonly retryAfterMs?: number };

type Stored = {
  sequence?: number;
  subscription: string;
  dueAt: number;
  leased: boolean;
  crashes: number;
  ended: boolean;
  batch?: KeptBatch;
};

/** A scheduler with an in-memory store, receivers that answer when a test says so, and a clock that a test sets. */
export function schedulerHarness(bounds: Partial<typeof limits> = {}) {
  const deliveries = new Map<string, Stored>();
  const lanes = new Map<string, number>();
  const disabled = new Map<string, Date>();
  /** Addresses that are not proven; each subscription has one of its own unless said otherwise. */
  const unproven = new Set<string>();
  const ordered = new Set<string>();
  const batches = new Map<string, BatchTerms>();
  /** Deliveries that nothing can be sent together with. */
  const alone = new Set<string>();
  const urls = new Map<string, string>();
  const accounts = new Map<string, string>();
  const addressOf = (subscription: string) => {
    const url = urls.get(subscription) ?? `https://${subscription}.example.com/`;
    return {
      account: accounts.get(subscription) ?? subscription,
      url,
      proven: !unproven.has(url),
      ordered: ordered.has(subscription),
      batch: batches.get(subscription),
    };
  };
  const underWay: {
    readonly id: string;
    readonly subscription: string;
    answer(result?: Answered): void;
  }[] = [];
  const sent: string[] = [];
  const durationsMs: number[] = [];
  const problems: unknown[] = [];
  const feed = { watermark: Number.POSITIVE_INFINITY };
  /** The queries of due deliveries and of the fan-out watermark, in their order. */
  const asked: ('due' | 'outside feed' | 'in feed' | 'watermark')[] = [];
  let nowMs = 1_000_000;
  let unavailableStore = false;
  /** What has to end before calls of these kinds take effect. */
  const held = {
    outcome: Promise.resolve(),
    release: Promise.resolve(),
    mark: Promise.resolve(),
    query: Promise.resolve(),
  };
  let owns = (_subscription: string) => true;
  const available = async () => {
    if (unavailableStore) throw unavailable('The store');
  };
  const mark = (subscription: string, at: number) => {
    lanes.set(subscription, Math.min(lanes.get(subscription) ?? Number.POSITIVE_INFINITY, at));
  };
  const claimed = (id: string, { subscription, crashes }: Stored): ClaimedDelivery => {
    const made = claimedFor('https://receiver.example.com/');
    const { account, batch: _terms, ...address } = addressOf(subscription);
    return { ...made, ...address, delivery: { ...made.delivery, id, account, subscription, crashes } };
  };
  const oldestOf = (subscription: string, limit: number, isWanted: (one: Stored) => boolean) =>
    [...deliveries]
      .filter(([, one]) => one.subscription === subscription && !one.leased && !one.ended && isWanted(one))
      .sort(([, a], [, b]) => a.dueAt - b.dueAt)
      .slice(0, limit)
      .map(([id, { dueAt, crashes, sequence }]) => ({ id, dueAt: new Date(dueAt), crashes, sequence }));
  const scheduler = new Scheduler({
    ...limits,
    ...bounds,
    attempts: {
      oldestPending: async (subscription, { limit, since }) => {
        asked.push('due');
        await available();
        const found = since ? [] : oldestOf(subscription, limit, () => true);
        await held.query;
        return found;
      },
      pendingOutsideFeed: async (subscription, limit) => {
        asked.push('outside feed');
        await available();
        return oldestOf(subscription, limit, ({ sequence }) => sequence === 0);
      },
      pendingInFeed: async (subscription, limit) => {
        asked.push('in feed');
        await available();
        return [...deliveries]
          .flatMap(([id, { sequence, dueAt, crashes, leased, ended, ...one }]) =>
            !sequence || ended || one.subscription !== subscription
              ? []
              : [{ id, sequence, dueAt: new Date(dueAt), crashes, leased, batch: one.batch }],
          )
          .sort((a, b) => a.sequence - b.sequence)
          .slice(0, limit);
      },
      fanOutWatermark: async () => {
        asked.push('watermark');
        return feed.watermark;
      },
      claim: async ({ id }, { proven }): Promise<ClaimedDelivery | 'deferred' | undefined> => {
        await available();
        const one = deliveries.get(id);
        if (!one || one.leased || one.ended || one.dueAt > nowMs) return undefined;
        if (disabled.has(one.subscription) || (proven && !addressOf(one.subscription).proven))
          return 'deferred';
        one.leased = true;
        return claimed(id, one);
      },
      claimBatch: async (pending): Promise<ClaimedDelivery | undefined> => {
        await available();
        const ids = pending[0]?.batch?.deliveries ?? pending.map(({ id }) => id);
        const found = ids.flatMap((id) => {
          const one = deliveries.get(id);
          return one === undefined || one.leased || one.ended || (alone.has(ids[0] ?? '') && id !== ids[0])
            ? []
            : [claimed(id, Object.assign(one, { leased: true }))];
        });
        const [first, ...others] = found;
        const kept = deliveries.get(ids[0] ?? '');
        if (first === undefined || kept === undefined) return undefined;
        kept.batch ??= { id: `bat_${ids[0]}`, deliveries: found.map(({ delivery }) => delivery.id) };
        const events = kept.batch.deliveries.map((id) => ({ id, body: '{}' }));
        return { ...first, batch: { id: kept.batch.id, events, others } };
      },
      complete: async ({ delivery }, { attempt, status, nextAttemptAt }) => {
        durationsMs.push(attempt.duration_ms);
        await held.outcome;
        await available();
        const one = deliveries.get(delivery.id);
        if (!one) return false;
        Object.assign(one, { leased: false, ended: status !== 'pending' });
        if (nextAttemptAt) one.dueAt = nextAttemptAt.getTime();
        return true;
      },
    },
    lanes: {
      postponeDue: async (isOwn, { until, limit, aheadMs }) => {
        await available();
        const own = [...lanes].filter(([id]) => isOwn(addressOf(id).account));
        const due = own.filter(([, at]) => at <= nowMs).slice(0, limit);
        const nextAt = Math.min(...own.map(([, at]) => at).filter((at) => at > nowMs));
        for (const [id] of due) lanes.set(id, until.getTime());
        return {
          postponed: due.map(([id]) => ({ id, disabledAt: disabled.get(id), ...addressOf(id) })),
          nextDueAt: due.length === 0 && nextAt <= nowMs + aheadMs ? new Date(nextAt) : undefined,
        };
      },
      release: async (id, expected, dueAt) => {
        await held.release;
        await available();
        if (lanes.get(id) === expected.getTime()) lanes.set(id, dueAt.getTime());
        else mark(id, dueAt.getTime());
      },
      markDue: async (ids, at = new Date(0)) => {
        await held.mark;
        await available();
        for (const id of ids) mark(id, at.getTime());
      },
      prove: async (id, url) => {
        await available();
        if (addressOf(id).url === url) unproven.delete(url);
      },
    },
    membership: { owns: (id) => owns(id), alive: true },
    send: ({ delivery: { id, subscription }, batch }) =>
      new Promise<Answered>((resolve) => {
        sent.push(batch?.events.map((event) => event.id).join(' ') ?? id);
        const attempt = {
          id,
          subscription,
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
    checkAutoDisable: async () => undefined,
    onAttempt: () => undefined,
    onProblem: (error) => problems.push(error),
  });
  /** Tells the scheduler of new deliveries, each of a subscription; without an id, of one that may have existed before. */
  const notify = async (...made: (readonly [subscription: string, id?: string | undefined])[]) => {
    await scheduler.notify(
      made.map(([subscription, id]) => ({
        recipient: { ...addressOf(subscription), id: subscription, suspended: false },
        pending: id === undefined ? undefined : { id, dueAt: new Date(nowMs), crashes: 0 },
      })),
    );
    await settled();
  };
  return {
    deliveries,
    lanes,
    disabled,
    unproven,
    ordered,
    batches,
    alone,
    feed,
    asked,
    urls,
    accounts,
    underWay,
    sent,
    durationsMs,
    scheduler,
    problems,
    /** Makes new deliveries to subscriptions, as the fan-out of an event does. */
    open: async (id: string, ...subscriptions: string[]) => {
      for (const subscription of subscriptions) {
        const stored = { subscription, dueAt: nowMs, leased: false, crashes: 0, ended: false };
        deliveries.set(`${subscription}:${id}`, stored);
      }
      await notify(...subscriptions.map((subscription) => [subscription, `${subscription}:${id}`] as const));
    },
    notify: (subscription: string, id?: string) => notify([subscription, id]),
    advance: async (ms: number) => {
      nowMs += ms;
      await scheduler.poll().catch(() => undefined);
      await settled();
    },
    setUnavailable: (is: boolean) => {
      unavailableStore = is;
    },
    /** Delays calls of a kind until the returned function is called; what a query finds is what there was before. */
    hold: (kind: keyof typeof held) => {
      const gate = Promise.withResolvers<void>();
      held[kind] = gate.promise;
      return () => {
        held[kind] = Promise.resolve();
        gate.resolve();
      };
    },
    setOwns: (check: (subscription: string) => boolean) => {
      owns = check;
    },
    /** Makes this many deliveries due, each a millisecond after the one before. */
    makeDue: async (subscription: string, count: number, { crashes = 0 } = {}) => {
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

/** Resolves when everything that needs no timer has happened. */
export async function settled(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
}
