import { keepDoing, pause, recently, waitAtMost } from '@sigcast/runtime';
import type { PendingSignal } from '../domain/ports.ts';
import type { Outbox } from './outbox.ts';
import { RelayQueue } from './relay-queue.ts';
import { type SendDeps, send } from './send.ts';

/** Publishes the events that wait in outboxes, in order per signal, each at least once. */
export type Relay = {
  /** Tells the relay all events that wait of these signals. Returns at once. */
  notify(signals: readonly PendingSignal[]): void;
  /**
   * Resolves when the relay has room for more bulk events. An importer waits for it between batches: events that the relay
   * has no room for are left to a sweep, which costs more and comes later.
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

/** The most events that are known as published, so that memory stays bounded. Without it, more events are published twice. */
const maxPublished = 10_000;

/** The longest pause of a loop that is notified of work, in milliseconds. */
const untilNotifiedMs = 60_000;

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
  const [live, bulk] = [new RelayQueue(), new RelayQueue()];
  /** The signals whose events are being published, or removed from the outbox. */
  const inFlight = new Set<string>();
  /** Ids of events published lately: a change that was decided before they left their outbox brings them again. */
  const published = new Set<string>();
  const active = recently(activeForMs);
  active.note();
  let stopping = false;
  const logStoreAway = (err: unknown) => log.warn({ err }, 'relay: the store is away, events wait');
  /** Resolves when a batch is done. */
  let progress = Promise.withResolvers<void>();

  /**
   * Publishes the events of signals that are not in flight. `removed` resolves when they have left their outboxes, or could
   * not: then a sweep publishes them again.
   */
  const relay = async (batch: readonly PendingSignal[]) => {
    for (const { id } of batch) inFlight.add(id);
    const land = () => {
      for (const { id } of batch) inFlight.delete(id);
      progress.resolve();
      progress = Promise.withResolvers<void>();
      notifyLoops();
    };
    try {
      const sent = await send(deps, batch);
      if (sent.brokerAway) for (const queue of [live, bulk]) queue.clear();
      if (published.size > maxPublished) published.clear();
      for (const { events, relayedCount } of sent.signals)
        for (const { id } of events.slice(0, relayedCount)) published.add(id);
      const removed = outbox.removePublished(sent.signals).catch(logStoreAway).finally(land);
      return { ...sent, removed };
    } catch (error) {
      land();
      throw error;
    }
  };

  /**
   * Relays the signals of a queue until it is empty or the time is over: under steady writes it would never be empty. A
   * batch is published while the batch before it is removed from outboxes.
   */
  const relayQueued = async (queue: RelayQueue, untilMs = Number.POSITIVE_INFINITY) => {
    while (performance.now() < untilMs) {
      const batch = queue.takeBatch(inFlight, published);
      if (batch.length === 0) return;
      const { removed } = await relay(batch);
      await queue.removing;
      queue.removing = removed;
    }
  };

  /** @returns whether events were found. */
  const sweep = async (): Promise<boolean> => {
    for (let found = false; !stopping; found = true) {
      const now = deps.now();
      const claim = await outbox.claim(now, new Date(now.getTime() + claimMs));
      if (claim.signals.length === 0) return found;
      const { signals, brokerAway, refused, removed } = await relay(
        claim.signals.filter(({ id }) => !inFlight.has(id)),
      );
      await removed;
      if (brokerAway) {
        await outbox.release(claim, deps.now());
        return true;
      }
      if (refused) {
        await outbox.release(claim, new Date(deps.now().getTime() + refusedMs));
        if (signals.every(({ relayedCount }) => relayedCount === 0)) await pause(allRefusedPauseMs);
      }
      // An import's events must not wait for the whole backlog, nor the backlog for the whole import.
      await relayQueued(bulk, performance.now() + bulkShareMs);
    }
    return true;
  };

  const loops = new AsyncDisposableStack();
  const loop = (work: () => Promise<number>) =>
    keepDoing(async () => {
      try {
        return await work();
      } catch (err) {
        logStoreAway(err);
        return 0; // what was taken is left to a sweep
      }
    }, loops);
  const notifyLive = loop(async () => {
    await relayQueued(live);
    return untilNotifiedMs;
  });
  let sweptAt = Number.NEGATIVE_INFINITY;
  let found = false;
  const sweepDueAt = () => sweptAt + deps.sweepEveryMs * (found || active.isRecent ? 1 : idleSweeps);
  const notifyBulk = loop(async () => {
    await relayQueued(bulk, sweepDueAt());
    if (!stopping && performance.now() >= sweepDueAt()) {
      sweptAt = performance.now();
      found = true;
      found = await sweep();
    }
    return Math.max(0, sweepDueAt() - performance.now());
  });
  const notifyLoops = () => {
    notifyLive(0);
    notifyBulk(0);
  };
  const end = async () => {
    await loops.disposeAsync();
    for (const queue of [live, bulk]) {
      await relayQueued(queue).catch(logStoreAway);
      await queue.removing;
    }
  };
  return {
    notify: (signals) => {
      active.note();
      for (const signal of signals) {
        if (signal.priority === 'live') bulk.remove(signal.id);
        (signal.priority === 'live' ? live : bulk).add(signal);
      }
      notifyLoops();
    },
    hasRoom: async () => {
      while (!bulk.hasRoom && !stopping) await progress.promise;
    },
    close: async () => {
      stopping = true;
      await waitAtMost(closeTimeoutMs, end());
    },
  };
}
