import type { EventFeed, FeedEntry, FeedSlice } from '../domain/feed.ts';

/** The newest events that are kept in memory, some 1 kB each. Streams further behind read the store. */
const maxRecent = 1_000;
/** The most events that one read fetches. */
const maxFetched = 500;

type FeedTailDeps = {
  readonly feed: Pick<EventFeed, 'bounds' | 'readNew'>;
  /** The pause between two reads, in milliseconds. On average a stream delays an event by half of it. */
  readonly intervalMs: number;
  /** Waits, or rejects as soon as `signal` aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onProblem: (error: unknown) => void;
};

/** A reader of the tail. While there is one, the tail reads new events. */
export type Listening = Disposable & {
  /** The known events behind a sequence number; undefined when it is too old for the tail. */
  after(sequence: number): FeedSlice | undefined;
  /** The highest known sequence number. */
  readonly end: number;
  /** Calls `listener` whenever the end has moved. @returns a function that removes the listener. */
  onNew(listener: () => void): () => void;
};

/** The newest events of the feed, read once for all streams of a process, and only while there are streams. */
export class FeedTail {
  readonly #deps: FeedTailDeps;
  #following: FeedFollower | undefined;
  #listeners = 0;

  constructor(deps: FeedTailDeps) {
    this.#deps = deps;
  }

  /** @throws when the end of the feed cannot be read. */
  async listen(): Promise<Listening> {
    this.#listeners += 1;
    this.#following ??= new FeedFollower(this.#deps);
    const following = this.#following;
    try {
      await following.started;
    } catch (error) {
      // The next listener starts again.
      if (this.#following === following) this.#following = undefined;
      this.#leave();
      throw error;
    }
    return {
      after: (sequence) => following.after(sequence),
      get end() {
        return following.end;
      },
      onNew: (listener) => {
        following.listeners.add(listener);
        return () => following.listeners.delete(listener);
      },
      [Symbol.dispose]: () => this.#leave(),
    };
  }

  #leave(): void {
    this.#listeners -= 1;
    if (this.#listeners > 0) return;
    this.#following?.stop();
    this.#following = undefined;
  }
}

/** Reads new events from when the first listener comes until the last one has left. */
class FeedFollower {
  readonly started: Promise<void>;
  readonly listeners = new Set<() => void>();
  readonly #deps: FeedTailDeps;
  readonly #stopping = new AbortController();
  #recent: FeedEntry[] = [];
  #end = 0;

  constructor(deps: FeedTailDeps) {
    this.#deps = deps;
    this.started = this.#start();
  }

  get end(): number {
    return this.#end;
  }

  stop(): void {
    this.#stopping.abort();
  }

  after(sequence: number): FeedSlice | undefined {
    if (sequence >= this.#end) return { events: [], upTo: sequence };
    const [oldest] = this.#recent;
    if (oldest === undefined || sequence < oldest.sequence - 1) return undefined;
    return { events: this.#recent.filter((event) => event.sequence > sequence), upTo: this.#end };
  }

  async #start(): Promise<void> {
    this.#end = (await this.#deps.feed.bounds()).end;
    void this.#follow();
  }

  async #follow(): Promise<void> {
    const { feed, intervalMs, pause, onProblem } = this.#deps;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const { events, upTo } = await feed.readNew(this.#end, maxFetched);
        if (events.length > 0) {
          this.#recent = [...this.#recent, ...events].slice(-maxRecent);
          this.#end = upTo;
          for (const listener of [...this.listeners]) listener();
        }
        if (events.length === maxFetched) continue;
      } catch (error) {
        // Streams stay open until the store is back: closed ones would all connect again at once.
        onProblem(error);
      }
      await pause(intervalMs, signal).catch(() => undefined);
    }
  }
}
