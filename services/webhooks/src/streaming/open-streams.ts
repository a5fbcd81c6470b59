import { unavailable } from '@sigcast/contracts';

/** Streams open in one process, over all accounts: each has two sockets on its way and some 50 kB. */
const maxOpen = 4_000;
/** Part of a stream's life that chance takes off, so that streams opened together don't all come again together. */
const spread = 0.1;

/** A stream's place among those open. Disposing it gives it back. */
export type OpenStream = Disposable & {
  /** Aborts when the stream has to end: its life is over, or the process stops. */
  readonly signal: AbortSignal;
};

/** Bounds how many streams are open in this process, and how long. The gateways bound those of one account. */
export class OpenStreams {
  readonly #maxLifeMs: number;
  readonly #random: () => number;
  readonly #stopping = new AbortController();
  #total = 0;

  constructor(options: { maxLifeMs: number; random: () => number }) {
    this.#maxLifeMs = options.maxLifeMs;
    this.#random = options.random;
  }

  /** How many are open. */
  get open(): number {
    return this.#total;
  }

  /** @throws {SigcastError} SERVICE_UNAVAILABLE beyond the process's bound. */
  enter(): OpenStream {
    if (this.#total >= maxOpen) throw unavailable('The stream');
    this.#total += 1;
    const life = new AbortController();
    const timer = setTimeout(() => life.abort(), this.#maxLifeMs * (1 - spread * this.#random()));
    const stop = () => life.abort();
    this.#stopping.signal.addEventListener('abort', stop);
    if (this.#stopping.signal.aborted) stop();
    return {
      signal: life.signal,
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        this.#stopping.signal.removeEventListener('abort', stop);
        this.#total -= 1;
      },
    };
  }

  /**
   * Ends all streams now, and those that still come as soon as they have begun: to browsers, an answer other than 200 is
   * the end for good (WHATWG HTML, 9.2.3), the end of a stream an invitation to connect again.
   */
  stop(): void {
    this.#stopping.abort();
  }
}
