/** The most that wait in one lane, and in all. A hash of a password takes some hundred milliseconds. */
const maxPerLane = 5;
const maxWaiting = 100;

/**
 * A queue that serves its lanes in turn, so that many entries of one lane delay another lane by one entry each time. Lanes and
 * queue are bounded. Where the queue is full, an entry of another lane pushes out the last one of the longest lane.
 */
export class FairQueue<T> {
  /** In the order in which they are served. None is empty. */
  readonly #lanes = new Map<string, T[]>();
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Whether an entry of this lane would have no place. */
  isFull(lane: string): boolean {
    const own = this.#lanes.get(lane)?.length ?? 0;
    return own >= maxPerLane || (this.#size >= maxWaiting && this.#longest().length <= own + 1);
  }

  /** Adds an entry. @returns the entry that has no place: this one, or one that it pushed out. */
  push(lane: string, entry: T): T | undefined {
    if (this.isFull(lane)) return entry;
    const pushedOut = this.#size >= maxWaiting ? this.#longest().pop() : undefined;
    if (pushedOut === undefined) this.#size += 1;
    const own = this.#lanes.get(lane) ?? [];
    own.push(entry);
    this.#lanes.set(lane, own);
    return pushedOut;
  }

  /** Removes the entry whose turn it is. */
  shift(): T | undefined {
    for (const [lane, entries] of this.#lanes) {
      const first = entries.shift();
      this.#lanes.delete(lane);
      if (entries.length > 0) this.#lanes.set(lane, entries);
      this.#size -= 1;
      return first;
    }
    return undefined;
  }

  #longest(): T[] {
    return [...this.#lanes.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
  }
}
