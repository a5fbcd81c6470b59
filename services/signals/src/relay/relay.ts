import { SigcastError, type SignalEvent } from '@sigcast/contracts';
import type { Logger } from '@sigcast/runtime';
import type { Outbox, PendingSignal, RelayedSignal } from './outbox.ts';

/** Sends events of signals on their way, in order per signal, each at least once. */
export type Relay = {
  /** Events of these signals wait. Returns at once. */
  wake(signalIds: readonly string[]): void;
  /** Relays what it was woken for, within 2 s, and ends. What is left waits in the store. */
  close(): Promise<void>;
};

export type RelayDeps = {
  readonly outbox: Outbox;
  /** Resolves when the broker has the event in a queue. */
  readonly publish: (event: SignalEvent) => Promise<void>;
  readonly now: () => Date;
  readonly log: Logger;
  /** How often to look for what a crash or an outage has left. */
  readonly sweepEveryMs: number;
};

/** Signals relayed together: their events are published side by side and taken out in one write. */
const batchSignals = 200;

/** Beyond this many the sweep finds them just as well, and memory stays bounded while the broker stalls. */
const maxWoken = 10_000;

/** An event this young is most likely in the hands of the replica that wrote it. */
const graceMs = 1_000;

const closeTimeoutMs = 2_000;

/**
 * Starts relaying. There is one loop, which never has two batches in hand, so events of one signal keep their
 * order; several replicas at once only send some events twice, under the same id.
 */
export function startRelay(deps: RelayDeps): Relay {
  const { outbox, log } = deps;
  const woken = new Set<string>();
  let stopping = false;
  let ring = () => {};

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

  const relayWoken = async () => {
    while (woken.size > 0) {
      const ids = [...woken].slice(0, batchSignals);
      for (const id of ids) woken.delete(id);
      const brokerAway = await relayBatch(deps, await outbox.read(ids));
      if (brokerAway) woken.clear(); // the sweep comes back to them
    }
  };

  const sweep = async () => {
    const before = new Date(deps.now().getTime() - graceMs);
    for await (const batch of outbox.pendingSince(before)) {
      const brokerAway = await relayBatch(deps, batch);
      if (brokerAway || stopping) return;
      // New events don't queue up behind a long backlog.
      await relayWoken();
    }
  };

  const run = async () => {
    let sweepDueAt = performance.now();
    while (!stopping) {
      try {
        await idle(sweepDueAt - performance.now());
        await relayWoken();
        if (stopping || performance.now() < sweepDueAt) continue;
        sweepDueAt = performance.now() + deps.sweepEveryMs;
        await sweep();
      } catch (err) {
        log.warn({ err }, 'relay: the store is away, events wait');
      }
    }
    await relayWoken();
  };

  const ended = run().catch((err: unknown) => log.warn({ err }, 'relay: ended with events waiting'));
  return {
    wake: (signalIds) => {
      for (const id of signalIds) if (woken.size < maxWoken) woken.add(id);
      ring();
    },
    close: async () => {
      stopping = true;
      ring();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, closeTimeoutMs);
      });
      await Promise.race([ended, late]);
      clearTimeout(timer);
    },
  };
}

/** @returns true when the broker can't take events right now. */
async function relayBatch(deps: RelayDeps, batch: readonly PendingSignal[]): Promise<boolean> {
  let brokerAway: unknown;
  const signals = await Promise.all(
    batch.map(async (pending): Promise<RelayedSignal> => {
      const relayed: SignalEvent[] = [];
      try {
        for (const event of pending.events) {
          await deps.publish(event);
          relayed.push(event);
        }
      } catch (err) {
        if (err instanceof SigcastError && err.retryable) brokerAway = err;
        // An event nobody could ever take keeps its place and its successors back, and stays in sight.
        else deps.log.error({ err, signal_id: pending.id }, 'relay: event refused');
      }
      return { ...pending, relayed };
    }),
  );
  await deps.outbox.clear(signals);
  if (brokerAway)
    deps.log.warn({ err: brokerAway, signals: batch.length }, 'relay: the broker is away, events wait');
  return brokerAway !== undefined;
}
