import { defineScript } from './script.ts';

/** Told which masters answer for keys, and how they fare. Nothing it does may throw. */
export type MasterWatcher = {
  /** A connection to this master takes commands. */
  ready(master: string): void;
  /** The connection to this master is gone. */
  lost(master: string): void;
  /** Other masters than before may answer for keys. */
  changed(): void;
};

/**
 * The masters that answer for keys, by name: of a cluster those that hold slots (`host:port`), otherwise the one that
 * is asked for everything. A replica is never one of them.
 */
export type Masters = {
  /** Those known now; none while a cluster has not told them. */
  masters(): readonly string[];
  /** Who answers for a key (without prefix) now. */
  masterOf(key: string): string | undefined;
  /** Resolves when this master takes a write. @throws {Error} when it does not, in the time a call has. */
  check(master: string): Promise<void>;
  watchMasters(watcher: MasterWatcher): void;
};

/** Resolves when every master takes a write. @throws {Error} when one does not, or none is known. */
export async function checkMasters(redis: Masters): Promise<void> {
  const masters = redis.masters();
  if (masters.length === 0) throw new Error('no master is known');
  await Promise.all(masters.map((master) => redis.check(master)));
}

/**
 * Writes something that is gone a second later. `PING` is answered by masters without a majority, without memory or
 * without the replicas they need, too. The keys are in different slots of a cluster.
 */
export const probe = defineScript("return redis.call('SET', KEYS[1], '', 'PX', 1000)");

/** Names a key to probe with; which slot it is in is as good as random. */
export const probeKey = (index: number): string => `probe:${index}`;
