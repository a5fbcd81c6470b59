import type { EventFeed, FeedPart, PlacedEvent } from '../domain/feed.ts';

/** Events kept at hand for readers that are nearly up to date, some 1 kB each; who is further behind reads the store. */
const keptRecent = 1_000;
/** Events fetched in one go. */
const maxFetched = 500;

export type FeedTailDeps = {
  readonly feed: Pick<EventFeed, 'bounds' | 'readNew'>;
  /** Pause between two looks, in milliseconds: half of it is what a stream adds to an event's way, on average. */
  readonly intervalMs: number;
  /** Waits, or rejects as soon as `signal` aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onProblem: (error: unknown) => void;
};

/** A reader's hold on the tail; it looks for new events while there is one. */
export type Listening = Disposable & {
  /** What follows a place, as far as it is known here; undefined when that is too long ago. */
  after(place: number): FeedPart | undefined;
  /** The highest place known. */
  readonly end: number;
  /** Calls `notice` whenever the end has moved, until the function returned is called. */
  onNew(notice: () => void): () => void;
};

/** The newest events of the feed, read once for all streams of a process, and only while there are any. */
export class FeedTail {
  readonly #deps: FeedTailDeps;
  #following: Following | undefined;
  #listeners = 0;

  constructor(deps: FeedTailDeps) {
    this.#deps = deps;
  }

  /** @throws when the store can't say where the feed ends. */
  async listen(): Promise<Listening> {
    this.#listeners += 1;
    this.#following ??= new Following(this.#deps);
    const following = this.#following;
    try {
      await following.started;
    } catch (error) {
      // The next listener begins anew.
      if (this.#following === following) this.#following = undefined;
      this.#leave();
      throw error;
    }
    return {
      after: (place) => following.after(place),
      get end() {
        return following.end;
      },
      onNew: (notice) => {
        following.notices.add(notice);
        return () => following.notices.delete(notice);
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

/** One stretch of looking, from the first listener to the last. */
class Following {
  readonly started: Promise<void>;
  readonly notices = new Set<() => void>();
  readonly #deps: FeedTailDeps;
  readonly #stopping = new AbortController();
  #recent: PlacedEvent[] = [];
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

  after(place: number): FeedPart | undefined {
    if (place >= this.#end) return { events: [], upTo: place };
    const [oldest] = this.#recent;
    if (oldest === undefined || place < oldest.seq - 1) return undefined;
    return { events: this.#recent.filter(({ seq }) => seq > place), upTo: this.#end };
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
          this.#recent = [...this.#recent, ...events].slice(-keptRecent);
          this.#end = upTo;
          for (const notice of [...this.notices]) notice();
        }
        if (events.length === maxFetched) continue;
      } catch (error) {
        // Streams stay open and silent until the store is back: closing them would bring them all here again.
        onProblem(error);
      }
      await pause(intervalMs, signal).catch(() => undefined);
    }
  }
}
