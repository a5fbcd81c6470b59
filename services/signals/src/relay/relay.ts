import { pause, waitAtMost } from '@sigcast/runtime';
import type { WaitingSignal } from '../domain/ports.ts';
import { InHand, Lane } from './lane.ts';
import type { Outbox } from './outbox.ts';
import { type SendDeps, send } from './send.ts';

/** Sends events of signals on their way, in order per signal, each at least once. */
export type Relay = {
  /** Events of these signals wait. Returns at once. */
  notify(signals: readonly WaitingSignal[]): void;
  /**
   * Resolves when it has room for more bulk events, or can't relay at all for now. Who writes much waits for it now and
   * then: what it has no room for has to be claimed by a sweep, which costs more, and comes late.
   */
  hasRoom(): Promise<void>;
  /** Relays what it was notified of, within 2 s, and ends. What is left waits in the store. */
  close(): Promise<void>;
};

export type RelayDeps = SendDeps & {
  readonly outbox: Outbox;
  readonly now: () => Date;
  /** How often to look for what a crash or an outage has left. */
  readonly sweepEveryMs: number;
};

/** How long a claim keeps other replicas off; longer than the broker may take to confirm a batch. */
const claimMs = 10_000;

/** What an import's events get of the time between two claims of a backlog; a claim's own batch takes about as long. */
const shareMs = 20;

/** What a queue refuses is tried again after this time: meanwhile a sweep comes to the events of other queues. */
const refusedMs = 10_000;

/** Between two claims of a sweep that finds nothing but what a queue refuses, however much of it there is. */
const nothingLeftMs = 50;

const closeTimeoutMs = 2_000;

/**
 * Starts relaying. Live events have a lane of their own, so that none waits behind an import's or an old one: one loop
 * sends those that came just now, another one bulk events and what sweeps find. Each sends one batch at a time, and
 * nothing of a signal while anything of that signal is in hand. So events of one signal keep their order, and what is
 * published at once is bounded, for live events apart from all others.
 *
 * Replicas don't get in each other's way: the one that wrote an event relays it at once, and only what is still there
 * after a while is due for a sweep, which claims it first. So a backlog is shared out among all replicas, and what
 * one had claimed when it died is due again when the claim ends. An event that two of them send all the same has one id.
 */
export function startRelay(deps: RelayDeps): Relay {
  const { outbox, log } = deps;
  const inHand = new InHand(() => recheck());
  const [live, bulk] = [new Lane(inHand), new Lane(inHand)];
  const recheck = () => {
    live.recheck();
    bulk.recheck();
  };
  let stopping = false;
  const isStopping = () => stopping;

  /**
   * Relays what a lane was notified of, until that or the time is over: under steady writes it would never be all. One
   * batch is sent while the one before it is taken out of the store.
   */
  const relayNotified = async (lane: Lane, untilMs = Number.POSITIVE_INFINITY) => {
    let settled: Promise<void> | undefined;
    try {
      while (performance.now() < untilMs) {
        const batch = lane.take();
        if (batch === undefined) return;
        const release = () => inHand.release(batch.ids);
        const earlier = settled;
        try {
          const read = batch.unknown.length === 0 ? [] : await outbox.read(batch.unknown);
          // A sweep may have sent them meanwhile.
          const waiting = read.filter(({ events }) => events.length > 0);
          const { signals, brokerAway } = await send(deps, [...batch.known, ...waiting]);
          if (brokerAway) lane.clear(); // the sweep comes back to them
          settled = outbox.removePublished(signals).finally(release);
        } catch (error) {
          release();
          throw error;
        }
        settled.catch(() => undefined); // it is awaited below
        await earlier;
        lane.tellRoom();
      }
    } finally {
      await settled;
    }
  };

  const sweep = async () => {
    while (!stopping) {
      const now = deps.now();
      const claim = await outbox.claim(now, new Date(now.getTime() + claimMs));
      if (claim.signals.length === 0) return;
      const mine = claim.signals.filter(({ id }) => !inHand.has(id));
      const ids = mine.map(({ id }) => id);
      inHand.take(ids);
      for (const lane of [live, bulk]) lane.doubt(ids);
      try {
        const { signals, brokerAway, refused } = await send(deps, mine);
        await outbox.removePublished(signals);
        if (brokerAway) {
          await outbox.release(claim, deps.now());
          return;
        }
        if (refused) {
          await outbox.release(claim, new Date(deps.now().getTime() + refusedMs));
          if (signals.every(({ relayedCount }) => relayedCount === 0)) await pause(nothingLeftMs);
        }
      } finally {
        inHand.release(ids);
      }
      // An import's events don't queue up behind a long backlog, nor the backlog behind them.
      await relayNotified(bulk, performance.now() + shareMs);
    }
  };

  const run = async (lane: Lane, work: () => Promise<void>, idleMs = () => Number.POSITIVE_INFINITY) => {
    while (!stopping) {
      try {
        await lane.idle(idleMs(), isStopping);
        await work();
      } catch (err) {
        log.warn({ err }, 'relay: the store is away, events wait');
        lane.tellRoom(true);
      }
    }
    await relayNotified(lane);
  };
  let sweepDueAt = performance.now();
  const running = [
    run(live, () => relayNotified(live)),
    run(
      bulk,
      async () => {
        await relayNotified(bulk, sweepDueAt);
        if (stopping || performance.now() < sweepDueAt) return;
        sweepDueAt = performance.now() + deps.sweepEveryMs;
        await sweep();
      },
      () => sweepDueAt - performance.now(),
    ),
  ];
  const ended = Promise.all(
    running.map((each) =>
      each.catch((err: unknown) => log.warn({ err }, 'relay: ended with events waiting')),
    ),
  ).finally(() => bulk.tellRoom(true));
  return {
    notify: (signals) => {
      for (const signal of signals) {
        if (signal.priority === 'bulk' && !live.has(signal.id)) bulk.notify(signal);
        else live.notify(bulk.remove(signal.id) ? { ...signal, pending: undefined } : signal);
      }
      recheck();
    },
    hasRoom: async () => {
      if (!stopping) await bulk.hasRoom();
    },
    close: async () => {
      stopping = true;
      recheck();
      await waitAtMost(closeTimeoutMs, ended);
    },
  };
}
