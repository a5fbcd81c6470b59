import type { FilledTile, Hash, Tile } from '@sigcast/tlog';
import type { LogEntry } from './entry.ts';

/** Entries that wait for the log. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type WaitingEntries = {
  /** Adds an entry, unless one about the same waits already. */
  add(entry: LogEntry): Promise<void>;
};

/** A log's newest checkpoint: how many entries it is of, and the signed note. */
export type StoredCheckpoint = { readonly size: number; readonly note: string };

/** An entry with its number. */
export type NumberedEntry = {
  readonly index: number;
  readonly kind: LogEntry['kind'];
  readonly text: string;
};

/** The log as it is written. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type LogStore = {
  /**
   * Takes the lease of the one writer until an instant.
   * @returns the time by the store's clock; undefined while another process has the lease.
   */
  lease(until: Date, now: Date): Promise<Date | undefined>;
  /** Ends the lease, where this process has it. */
  release(now: Date): Promise<void>;
  /** The entries that have waited for longest, at most `limit`. */
  waiting(limit: number): Promise<readonly LogEntry[]>;
  /** Which of these subjects the log has an entry about. */
  known(subjects: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Appends entries, the first one as number `from`.
   * @returns false where another writer has appended since: the log may have some of them then.
   */
  append(from: number, entries: readonly LogEntry[]): Promise<boolean>;
  /** Entries from a number on, in order, read as they are consumed. */
  from(index: number): AsyncIterable<{ readonly text: string }>;
  /** Writes tiles, unless they are stored with at least as many hashes. */
  fill(tiles: readonly FilledTile[]): Promise<void>;
  /** Stores a checkpoint, unless one of a larger tree is stored. */
  publish(checkpoint: StoredCheckpoint): Promise<void>;
  /** Removes entries from those that wait. */
  done(subjects: readonly string[]): Promise<void>;
} & Pick<PublicLog, 'checkpoint' | 'tile'>;

/** The log as it is read. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type PublicLog = {
  /** The newest checkpoint; undefined before the first one. */
  checkpoint(): Promise<StoredCheckpoint | undefined>;
  /** The hashes of a tile, as many as its width; undefined where the log has not so many. */
  tile(tile: Tile): Promise<readonly Hash[] | undefined>;
  /** `width` entries from number `index × 256` on; undefined where the log has not so many. */
  bundle(tile: Omit<Tile, 'level'>): Promise<readonly Buffer[] | undefined>;
  /** The entries about a signal, in order. */
  about(signal: string): Promise<readonly NumberedEntry[]>;
};

/** Those who see to it that everybody is shown the same log. */
export type Witnesses = {
  /**
   * Asks for cosignatures of a signed checkpoint.
   * @param prove proves that its tree begins with the tree of a size (RFC 6962, 2.1.2).
   * @returns the lines of those that came in time; a witness that does not answer never delays the log for long.
   * @throws where a witness has cosigned a larger tree, so that entries were lost that were published.
   */
  cosign(checkpoint: StoredCheckpoint, prove: (size: number) => Promise<readonly Hash[]>): Promise<string>;
};
