import {
  type Checkpoint,
  checkpointText,
  consistencyProof,
  leafHash,
  type NoteSigner,
  readNote,
  signNote,
  TileEdge,
  tilesOf,
  tileWidth,
} from '@sigcast/tlog';
import { knownAt, type LogEntry, stamped } from './entry.ts';
import type { LogStore, Witnesses } from './ports.ts';
import { tileReader } from './tile-reader.ts';

/** The most entries of one batch. */
const mostEntries = 2_000;

export type LogWriterOptions = {
  readonly store: LogStore;
  /** The log's name (C2SP tlog-checkpoint: origin), which is also that of its keys. */
  readonly origin: string;
  /** The keys that sign: one, or while a key is replaced the old and the new one. */
  readonly signers: readonly NoteSigner[];
  /** Those who cosign. Without them a checkpoint has the log's own signatures alone. */
  readonly witnesses?: Witnesses | undefined;
  /** How long a batch may take before another process writes, in milliseconds. */
  readonly leaseMs: number;
  /** The newest checkpoint that is known to be published, from outside the store. */
  readonly floor?: PublishedTree | undefined;
  readonly now: () => Date;
};

/** A tree that was published: how many entries it has, and the root over them. */
export type PublishedTree = Pick<Checkpoint, 'size' | 'root'>;

/**
 * Appends what waits to the log, batch after batch. Each step of a batch may be the last one of this process: entries are
 * durable before their tiles, tiles before the checkpoint that is of them, and what waited is removed last. The number of an
 * entry is its id in the store, so that no second writer, whatever its clock or lease, makes another history: one of both is
 * refused, and reads what the other has written. Nothing is signed that does not continue what was published: a store that was
 * restored from a back-up lacks entries that others have seen.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  /** The tree as this process knows it; undefined when it has to be read. */
  #tree: TileEdge | undefined;
  /** When the tree's newest entry got into it. */
  #knownAt = new Date(0);
  /** What every tree continues that is signed. */
  #floor: PublishedTree | undefined;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#floor = options.floor;
  }

  /**
   * Writes one batch, where something waits.
   * @returns how many entries were looked at; undefined while another process writes.
   * @throws what the store throws.
   */
  async write(): Promise<number | undefined> {
    const { store, leaseMs, now } = this.#options;
    const waiting = await store.waiting(mostEntries);
    // Once after the start also without one: what another process has begun is published, and other keys may sign now.
    if (waiting.length === 0 && this.#tree !== undefined) return 0;
    const at = now();
    const storeTime = await store.lease(new Date(at.getTime() + leaseMs), at);
    if (storeTime === undefined) return undefined;
    try {
      const tree = await this.#newest();
      // Of one clock, and never before the entry in front: no process dates entries back by a clock that is wrong.
      if (storeTime > this.#knownAt) this.#knownAt = storeTime;
      const written = await this.#writeBatch(tree, waiting);
      await store.release(now());
      return written;
    } catch (error) {
      this.#tree = undefined;
      throw error;
    }
  }

  /** The tree of the newest checkpoint. */
  async #newest(): Promise<TileEdge> {
    const known = this.#tree;
    if (known !== undefined && (await this.#options.store.checkpoint())?.size === known.size) return known;
    this.#tree = await this.#read();
    return this.#tree;
  }

  async #writeBatch(tree: TileEdge, waiting: readonly LogEntry[]): Promise<number> {
    const { store } = this.#options;
    if (waiting.length === 0) return 0;
    const subjects = waiting.map(({ subject }) => subject);
    const known = await store.known(subjects);
    const entries = waiting
      .filter(({ subject }) => !known.has(subject))
      .map((entry) => stamped(entry, this.#knownAt));
    if (entries.length > 0) {
      if (!(await store.append(tree.size, entries))) {
        this.#tree = undefined;
        return waiting.length;
      }
      const grown = tree.append(entries.map(({ text }) => leafHash(Buffer.from(text))));
      await store.fill(grown);
      await this.#publish(tree);
    }
    await store.done(subjects);
    return waiting.length;
  }

  /** Reads the tree of the newest checkpoint, appends the entries behind it, and publishes them. */
  async #read(): Promise<TileEdge> {
    const { store, origin } = this.#options;
    const checkpoint = await store.checkpoint();
    const size = checkpoint?.size ?? 0;
    const tree = new TileEdge(size, await this.#edge(size));
    const leaves: Buffer[] = [];
    let newest: string | undefined;
    let index = Math.max(0, size - 1);
    for await (const { text } of store.from(index)) {
      if (index++ >= size) leaves.push(leafHash(Buffer.from(text)));
      newest = text;
    }
    if (newest !== undefined) this.#knownAt = knownAt(newest);
    const text = checkpointText({ origin, size, root: tree.root });
    if (checkpoint !== undefined && readNote(checkpoint.note)?.text !== text) {
      throw new Error(`the stored entries of the log are not those of its checkpoint of size ${size}`);
    }
    await this.#requireFloor(size, leaves);
    await store.fill(tree.append(leaves));
    // Also without an entry: other keys may sign now.
    await this.#publish(tree);
    return tree;
  }

  /** @throws unless the stored tree of this size, with these leaves behind it, continues what was published. */
  async #requireFloor(size: number, leaves: readonly Buffer[]): Promise<void> {
    const floor = this.#floor;
    if (floor === undefined) return;
    if (size + leaves.length < floor.size) {
      throw new Error(
        `the log has ${size + leaves.length} entries stored, and ${floor.size} are published: import the others`,
      );
    }
    const from = Math.min(size, floor.size);
    const tree = new TileEdge(from, await this.#edge(from));
    tree.append(leaves.slice(0, floor.size - from));
    if (!tree.root.equals(floor.root)) {
      throw new Error(
        `the stored entries of the log are not those of its published checkpoint of size ${floor.size}`,
      );
    }
  }

  /** The hashes of each level's tile that is not full. */
  async #edge(size: number): Promise<(readonly Buffer[])[]> {
    const read = tileReader(this.#options.store);
    const tiles = tilesOf(size);
    const partial = tiles.filter(({ width }) => width < tileWidth);
    const levels = Math.max(0, ...tiles.map(({ level }) => level + 1));
    return Promise.all(
      Array.from({ length: levels }, async (_, level) => {
        const last = partial.find((tile) => tile.level === level);
        return last === undefined ? [] : read(last);
      }),
    );
  }

  async #publish(tree: TileEdge): Promise<void> {
    const { store, origin, signers, witnesses } = this.#options;
    const { size, root } = tree;
    this.#floor = { size, root };
    const note = signNote(checkpointText({ origin, size, root }), signers);
    const prove = (old: number) => consistencyProof(old, size, tileReader(store));
    const cosignatures = (await witnesses?.cosign({ size, note }, prove)) ?? '';
    await store.publish({ size, note: note + cosignatures });
  }
}
