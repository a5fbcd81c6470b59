import { defineScript } from './script.ts';

/** Called when masters or their connections change. Its methods must not throw. */
export type MasterWatcher = {
  /** The connection to this master accepts commands. */
  ready(master: string): void;
  /** The connection to this master is gone. */
  lost(master: string): void;
  /** The set of masters, or their slots, may have changed. */
  changed(): void;
};

/**
 * The masters, by name: the masters of a cluster that hold slots (`host:port`), or the one server of a connection without a
 * cluster. Replicas are not among them.
 */
export type Masters = {
  /** The known masters; none until a cluster has answered. */
  masters(): readonly string[];
  /** The master of a key (given without prefix); undefined while unknown. */
  masterOf(key: string): string | undefined;
  /** Writes to this master. @throws {Error} when the write fails, or is not answered within a call's timeout. */
  check(master: string): Promise<void>;
  watchMasters(watcher: MasterWatcher): void;
};

/** Writes to every master. @throws {Error} when a write fails, or no master is known. */
export async function checkMasters(redis: Masters): Promise<void> {
  const masters = redis.masters();
  if (masters.length === 0) throw new Error('no master is known');
  await Promise.all(masters.map((master) => redis.check(master)));
}

/**
 * Writes a key that expires after a second. A write, because masters without a majority, memory or enough replicas still
 * answer `PING`.
 */
export const probe = defineScript("return redis.call('SET', KEYS[1], '', 'PX', 1000)");

/** The name of a key for `probe`, in a slot that is as good as random. */
export const probeKey = (index: number): string => `probe:${index}`;
