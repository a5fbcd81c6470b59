import { pause, recently, waitAtMost } from '@sigcast/runtime';
import type { WaitingSignal } from '../domain/ports.ts';
import { InFlight } from './in-flight.ts';
import type { Outbox } from './outbox.ts';
import { RelayQueue } from './relay-queue.ts';
import { type SendDeps, send } from './send.ts';

/** Publishes the events that wait in outboxes, in order per signal, each at least once. */
export type Relay = {
  /** Tells the relay that events of these signals wait. Returns at once. */
  notify(signals: readonly WaitingSignal[]): void;
  /**
   * Resolves when the relay has room for more bulk events, or can't relay at all for now. An importer waits for it between
   * batches: events that the relay has no room for are left to a sweep, which costs more and comes later.
   */
  hasRoom(): Promise<void>;
  /** Relays within 2 s what the relay was notified of, and ends. The other events wait in the store. */
  close(): Promise<void>;
};

type RelayDeps = SendDeps & {
  readonly outbox: Outbox;
  readonly now: () => Date;
  /** How often a sweep searches for events that a crash or an outage left behind. */
  readonly sweepEveryMs: number;
};

/** How long a claim keeps other replicas away from its signals. Longer than the broker may take to confirm a batch. */
const claimMs = 10_000;

/** A relay that has neither begun nor been notified for this long, in milliseconds, sweeps a fifth as often: nobody is likely to have left events. */
const activeForMs = 10_000;
const idleSweeps = 5;

/** How long bulk events are relayed between two claims of a sweep. About as long as a claim takes, so both share the time. */
const bulkShareMs = 20;

/** How long a sweep leaves alone the events that a queue refused. Meanwhile it comes to the events of other queues. */
const refusedMs = 10_000;

/** A sweep's pause after a claim whose events were all refused. */
const allRefusedPauseMs = 50;

const closeTimeoutMs = 2_000;

/**
 * Starts two loops. The first relays live events. The second relays bulk events and the events that sweeps find. So no
 * live event waits behind an import's or an old one. Each loop publishes one batch at a time, and a signal is in at most
 * one batch, so the events of one signal keep their order.
 *
 * Replicas share the work: the one that wrote an event relays it at once, and a sweep claims only events that still wait
 * after 2 s. A claim ends by itself when its replica dies. An event that two replicas publish has one id.
 */
export function startRelay(deps: RelayDeps): Relay {
  const { outbox, log } = deps;
  const inFlight = new InFlight(() => recheck());
  const [live, bulk] = [new RelayQueue(inFlight), new RelayQueue(inFlight)];
  const recheck = () => {
    live.recheck();
    bulk.recheck();
  };
  const active = recently(activeForMs);
  active.note();
  let stopping = false;
  const isStopping = () => stopping;

  /**
   * Relays the signals of a queue until it is empty or the time is over: under steady writes it would never be empty. A
   * batch is published while the batch before it is removed from outboxes.
   */
  const relayQueued = async (queue: RelayQueue, untilMs = Number.POSITIVE_INFINITY) => {
    let removed: Promise<void> | undefined;
    try {
      while (performance.now() < untilMs) {
        const batch = queue.takeBatch();
        if (batch === undefined) return;
        const endFlight = () => inFlight.remove(batch.ids);
        const removedBefore = removed;
        try {
          const read = batch.unread.length === 0 ? [] : await outbox.read(batch.unread);
          // A sweep may have published the events of some meanwhile.
          const waiting = read.filter(({ events }) => events.length > 0);
          const { signals, brokerAway } = await send(deps, [...batch.pending, ...waiting]);
          if (brokerAway) queue.clear(); // the sweep finds them again
          removed = outbox.removePublished(signals).finally(endFlight);
        } catch (error) {
          endFlight();
          throw error;
        }
        removed.catch(() => undefined); // it is awaited below
        await removedBefore;
        queue.notifyRoom();
      }
    } finally {
      await removed;
    }
  };

  /** @returns whether events were found. */
  const sweep = async (): Promise<boolean> => {
    for (let found = false; !stopping; found = true) {
      const now = deps.now();
      const claim = await outbox.claim(now, new Date(now.getTime() + claimMs));
      if (claim.signals.length === 0) return found;
      const mine = claim.signals.filter(({ id }) => !inFlight.has(id));
      const ids = mine.map(({ id }) => id);
      inFlight.add(ids);
      for (const queue of [live, bulk]) queue.forgetEvents(ids);
      try {
        const { signals, brokerAway, refused } = await send(deps, mine);
        await outbox.removePublished(signals);
        if (brokerAway) {
          await outbox.release(claim, deps.now());
          return true;
        }
        if (refused) {
          await outbox.release(claim, new Date(deps.now().getTime() + refusedMs));
          if (signals.every(({ relayedCount }) => relayedCount === 0)) await pause(allRefusedPauseMs);
        }
      } finally {
        inFlight.remove(ids);
      }
      // An import's events must not wait for the whole backlog, nor the backlog for the whole import.
      await relayQueued(bulk, performance.now() + bulkShareMs);
    }
    return true;
  };

  const run = async (
    queue: RelayQueue,
    work: () => Promise<void>,
    leftMs = () => Number.POSITIVE_INFINITY,
  ) => {
    while (!stopping) {
      try {
        await queue.waitForBatch(leftMs, isStopping);
        await work();
      } catch (err) {
        log.warn({ err }, 'relay: the store is away, events wait');
        queue.notifyRoom(true);
      }
    }
    await relayQueued(queue);
  };
  let sweptAt = Number.NEGATIVE_INFINITY;
  let found = false;
  const sweepDueAt = () => sweptAt + deps.sweepEveryMs * (found || active.isRecent ? 1 : idleSweeps);
  const running = [
    run(live, () => relayQueued(live)),
    run(
      bulk,
      async () => {
        await relayQueued(bulk, sweepDueAt());
        if (stopping || performance.now() < sweepDueAt()) return;
        sweptAt = performance.now();
        found = true;
        found = await sweep();
      },
      () => sweepDueAt() - performance.now(),
    ),
  ];
  const ended = Promise.all(
    running.map((each) =>
      each.catch((err: unknown) => log.warn({ err }, 'relay: ended with events waiting')),
    ),
  ).finally(() => bulk.notifyRoom(true));
  return {
    notify: (signals) => {
      active.note();
      for (const signal of signals) {
        if (signal.priority === 'bulk' && !live.has(signal.id)) bulk.add(signal);
        else live.add(bulk.remove(signal.id) ? { ...signal, pending: undefined } : signal);
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
