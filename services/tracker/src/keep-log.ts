import { randomUUID } from 'node:crypto';
import { addGauges } from '@sigcast/http';
import { keepLooking, type Logger, LogThrottle, type Resources } from '@sigcast/runtime';
import type { Policy } from '@sigcast/tlog';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import { LogWriter, type LogWriterOptions } from './domain/tlog/writer.ts';
import { askWitnesses } from './sending/ask-witnesses.ts';
import { mongoLogStore, waitingEntries } from './store/mongo-tlog.ts';

/**
 * Between two looks at what waits, in milliseconds: the shortest is the delay of an entry. Whoever adds one is told to look, so that
 * the longest is only for what another process has left behind.
 */
const pauses = { firstMs: 500, maxMs: 5_000 };
/** After the store failed. */
const retryMs = 1_000;
/**
 * Some batches long: so much later somebody else goes on after a kill. A batch that takes longer, because the store or a witness
 * is slow, does no harm: the numbers of entries fence its writer.
 */
const leaseMs = 2_000;

const problem = 'log: entries wait';

/**
 * Writes what waits to the log, until `resources` are released. Of several processes one writes at a time.
 * @returns a function to call when an entry waits.
 */
export function keepLog(
  connection: Connection,
  {
    policy,
    ...options
  }: Pick<LogWriterOptions, 'origin' | 'signers' | 'floor'> & {
    /** Its witnesses are asked to cosign. */
    readonly policy?: Policy | undefined;
  },
  { log, resources }: { readonly log: Logger; readonly resources: Resources },
): () => void {
  const store = mongoLogStore(connection, randomUUID());
  const throttle = new LogThrottle();
  const refused = (witness: string, reason: string) => {
    if (throttle.isDue(witness)) log.warn({ witness, reason }, 'log: a witness has not cosigned');
  };
  const witnesses = policy && askWitnesses(policy.witnesses, { refused });
  const writer = new LogWriter({ ...options, store, witnesses, leaseMs, now: () => new Date() });
  const look = async () => {
    try {
      const written = await writer.write();
      // Another process writes, and may not have seen what waits since.
      if (written === undefined) return pauses.firstMs;
      return written === 0 ? undefined : pauses.firstMs;
    } catch (err) {
      if (throttle.isDue(problem)) log.warn({ err }, problem);
      return { retryMs };
    }
  };
  return keepLooking(look, pauses, resources);
}

const waitingGauges = [
  { name: 'sigcast_tracker_log_waiting', help: 'Entries that wait for the log; 10000 stands for more, too.' },
  {
    name: 'sigcast_tracker_log_delay_seconds',
    help: 'For how long the oldest entry has waited for the log.',
  },
];

/** Adds the gauges of what waits for the log. */
export function addLogGauges(registry: Registry, connection: Connection): void {
  addGauges(registry, waitingGauges, async () => {
    const { count, since } = await waitingEntries(connection);
    return [count, since === undefined ? 0 : (Date.now() - since.getTime()) / 1_000];
  });
}
