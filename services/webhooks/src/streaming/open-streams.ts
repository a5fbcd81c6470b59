import { unavailable } from '@sigcast/contracts';

/** The most streams in one process, over all accounts: each needs two sockets and some 50 kB. */
const maxOpen = 4_000;
/** A stream's life is shortened at random by up to this part, so that streams do not all reconnect at once. */
const jitter = 0.1;

/** The slot of an open stream, which disposing releases. */
type OpenStream = Disposable & {
  /** Aborts when the stream has to end: its life is over, or the process stops. */
  readonly signal: AbortSignal;
};

/** Bounds the number of open streams in this process, and their lives. The gateways bound the streams of one account. */
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
    const timer = setTimeout(() => life.abort(), this.#maxLifeMs * (1 - jitter * this.#random()));
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
   * Ends all streams, and each later stream as soon as it has begun. Later streams are not refused: browsers connect again
   * after the end of a stream, but not after an answer other than 200 (WHATWG HTML, 9.2.3).
   */
  stop(): void {
    this.#stopping.abort();
  }
}
