import { SigcastError, type SignalEvent } from '@sigcast/contracts';
import { type Logger, waitAtMost } from '@sigcast/runtime';
import type { PendingSignal, WaitingSignal } from '../domain/ports.ts';
import type { Archive, Outbox, RelayedSignal } from './outbox.ts';

/** Sends events of signals on their way, in order per signal, each at least once. */
export type Relay = {
  /** Events of these signals wait. Returns at once. */
  wake(signals: readonly WaitingSignal[]): void;
  /**
   * Resolves when it has room for more to be woken for, or can't relay at all for now. Who writes much waits for it now
   * and then: what it has no room for has to be claimed by a sweep, which costs more, and comes late.
   */
  hasRoom(): Promise<void>;
  /** Relays what it was woken for, within 2 s, and ends. What is left waits in the store. */
  close(): Promise<void>;
};

export type RelayDeps = {
  readonly outbox: Outbox;
  readonly archive: Pick<Archive, 'keep'>;
  /** Resolves when the broker has the event in a queue. */
  readonly publish: (event: SignalEvent) => Promise<void>;
  readonly now: () => Date;
  readonly log: Logger;
  /** How often to look for what a crash or an outage has left. */
  readonly sweepEveryMs: number;
};

/**
 * Signals relayed together: their events are published side by side and taken out in one write. For more than some
 * 100 values in one `$in` the development engine's planner reads the whole index.
 */
const batchSignals = 100;

/** Beyond this many the sweep finds them just as well, and memory stays bounded while the broker stalls. */
const maxWoken = 4_000;

/** With fewer than these there is room for many more. */
const fewWoken = maxWoken / 4;

/** How long a claim keeps other replicas off; longer than the broker may take to confirm a batch. */
const claimMs = 10_000;

/** What new events get of the time between two claims of a backlog; a claim's own batch takes about as long. */
const shareMs = 20;

const closeTimeoutMs = 2_000;

/**
 * Starts relaying. There is one loop, which sends one batch at a time, and nothing of a signal while an earlier batch of
 * its events is in hand. So events of one signal keep their order.
 *
 * Replicas don't get in each other's way: the one that wrote an event relays it at once, and only what is still there
 * after a while is due for a sweep, which claims it first. So a backlog is shared out among all replicas, and what
 * one had claimed when it died is due again when the claim ends. An event that two of them send all the same has one id.
 */
export function startRelay(deps: RelayDeps): Relay {
  const { outbox, log } = deps;
  /** By id; without what waits when that has to be read. */
  const woken = new Map<string, PendingSignal | undefined>();
  let stopping = false;
  let ring = () => {};
  let askers: (() => void)[] = [];
  const tellRoom = () => {
    for (const tell of askers) tell();
    askers = [];
  };

  /** Resolves when woken, or when the next sweep is due. */
  const idle = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms));
      ring = () => {
        clearTimeout(timer);
        resolve();
      };
      if (woken.size > 0 || stopping) ring();
    });

  /** Some of the signals it was woken for, but none of these. */
  const takeWoken = (others: ReadonlySet<string>) => {
    const batch: [id: string, pending: PendingSignal | undefined][] = [];
    for (const [id, pending] of woken) {
      if (others.has(id)) continue;
      woken.delete(id);
      if (batch.push([id, pending]) === batchSignals) break;
    }
    return batch;
  };

  /**
   * Relays what it was woken for, until that or the time is over: under steady writes it would never be all. One batch is
   * sent while the one before it is taken out of the store; what a signal of that one has got since is not sent before.
   */
  const relayWoken = async (untilMs = Number.POSITIVE_INFINITY) => {
    let before: { readonly ids: ReadonlySet<string>; readonly settled: Promise<void> } | undefined;
    try {
      while (woken.size > 0 && performance.now() < untilMs) {
        const batch = takeWoken(before?.ids ?? new Set());
        const known = batch.flatMap(([, pending]) => pending ?? []);
        const unknown = batch.flatMap(([id, pending]) => (pending ? [] : [id]));
        const read = unknown.length === 0 ? [] : await outbox.read(unknown);
        const { signals, brokerAway } = await send(deps, [...known, ...read]);
        const earlier = before?.settled;
        before = { ids: new Set(batch.map(([id]) => id)), settled: outbox.settle(signals) };
        before.settled.catch(() => undefined); // it is awaited below
        await earlier;
        if (brokerAway) woken.clear(); // the sweep comes back to them
        if (woken.size < fewWoken) tellRoom();
      }
    } finally {
      await before?.settled;
    }
  };

  const sweep = async () => {
    while (!stopping) {
      const now = deps.now();
      const claim = await outbox.claim(now, new Date(now.getTime() + claimMs));
      if (claim.signals.length === 0) return;
      if (await relayBatch(deps, claim.signals)) {
        await outbox.release(claim, deps.now());
        return;
      }
      // New events don't queue up behind a long backlog, nor the backlog behind them.
      await relayWoken(performance.now() + shareMs);
    }
  };

  const run = async () => {
    let sweepDueAt = performance.now();
    while (!stopping) {
      try {
        await idle(sweepDueAt - performance.now());
        await relayWoken(sweepDueAt);
        if (stopping || performance.now() < sweepDueAt) continue;
        sweepDueAt = performance.now() + deps.sweepEveryMs;
        await sweep();
      } catch (err) {
        log.warn({ err }, 'relay: the store is away, events wait');
        tellRoom();
      }
    }
    await relayWoken();
  };

  const ended = run()
    .catch((err: unknown) => log.warn({ err }, 'relay: ended with events waiting'))
    .finally(tellRoom);
  return {
    wake: (signals) => {
      for (const { id, pending } of signals) {
        // Woken for twice, there may be more than either knows.
        if (woken.has(id)) woken.set(id, undefined);
        else if (woken.size < maxWoken) woken.set(id, pending);
      }
      ring();
    },
    hasRoom: async () => {
      if (woken.size < fewWoken || stopping) return;
      await new Promise<void>((resolve) => {
        askers.push(resolve);
      });
    },
    close: async () => {
      stopping = true;
      ring();
      await waitAtMost(closeTimeoutMs, ended);
    },
  };
}

/** Sends a batch's events and takes them out. @returns true when the broker can't take events right now. */
async function relayBatch(deps: RelayDeps, batch: readonly PendingSignal[]): Promise<boolean> {
  const { signals, brokerAway } = await send(deps, batch);
  await deps.outbox.settle(signals);
  return brokerAway;
}

/** Sends a batch's events, in order per signal. `brokerAway`: the broker can't take events right now. */
async function send(
  deps: RelayDeps,
  batch: readonly PendingSignal[],
): Promise<{ readonly signals: readonly RelayedSignal[]; readonly brokerAway: boolean }> {
  let brokerAway: unknown;
  // Before they are published: an event in a queue that is lost a moment later is in the archive then.
  await deps.archive.keep(batch.flatMap(({ events }) => events));
  const signals = await Promise.all(
    batch.map(async (pending): Promise<RelayedSignal> => {
      let relayedCount = 0;
      try {
        for (const event of pending.events) {
          await deps.publish(event);
          relayedCount++;
        }
      } catch (err) {
        if (err instanceof SigcastError && err.retryable) brokerAway = err;
        // An event nobody could ever take keeps its place and its successors back, and stays in sight.
        else deps.log.error({ err, signal_id: pending.id }, 'relay: event refused');
      }
      return { ...pending, relayedCount };
    }),
  );
  if (brokerAway)
    deps.log.warn({ err: brokerAway, signals: batch.length }, 'relay: the broker is away, events wait');
  return { signals, brokerAway: brokerAway !== undefined };
}
