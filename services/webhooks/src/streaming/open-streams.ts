import { SigcastError, unavailable } from '@sigcast/contracts';

/** Streams open in one process, over all accounts: each has two sockets on its way and some 50 kB. */
const maxOpen = 4_000;
/** Part of a stream's life that chance takes off, so that streams opened together don't all come again together. */
const spread = 0.1;

/** A stream's place among those open. Disposing it gives it back. */
export type OpenStream = Disposable & {
  /** Aborts when the stream has to end: its life is over, or the process stops. */
  readonly signal: AbortSignal;
};

/** Bounds how many streams are open, and how long. */
export class OpenStreams {
  readonly #maxPerAccount: number;
  readonly #maxLifeMs: number;
  readonly #random: () => number;
  readonly #open = new Map<string, number>();
  readonly #stopping = new AbortController();
  #total = 0;

  constructor(options: { maxPerAccount: number; maxLifeMs: number; random: () => number }) {
    this.#maxPerAccount = options.maxPerAccount;
    this.#maxLifeMs = options.maxLifeMs;
    this.#random = options.random;
  }

  /** @throws {SigcastError} CONFLICT beyond the account's bound, SERVICE_UNAVAILABLE beyond the process's. */
  enter(account: string): OpenStream {
    if (this.#total >= maxOpen) throw unavailable('The stream');
    const open = this.#open.get(account) ?? 0;
    if (open >= this.#maxPerAccount) {
      // Not a rate limit: no waiting brings a place, only the end of another stream.
      const message = `The account has ${this.#maxPerAccount} streams open, and may have no more at once: close one`;
      throw new SigcastError('CONFLICT', message);
    }
    this.#open.set(account, open + 1);
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
        const left = (this.#open.get(account) ?? 1) - 1;
        if (left > 0) this.#open.set(account, left);
        else this.#open.delete(account);
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
