import type { Masters } from '@sigcast/redis';

/** Failures in a row that open a breaker, if they also spread over `failingMs`. */
const failuresToOpen = 3;
/** When this process pauses, all calls under way fail together: such failures say nothing about Redis. */
const failingMs = 250;
/** How often masters whose breaker is open are tried. */
const tryEveryMs = 1_000;

/**
 * The circuit breaker of one Redis master. While it is open, requests don't ask the master. It starts open, and a `recover`
 * that succeeds closes it.
 */
export class MasterBreaker {
  readonly #recover: () => Promise<void>;
  readonly #onChange: (closed: boolean) => void;
  #failures = 0;
  #failingSinceMs = 0;
  #closed = false;
  #recovering = false;

  constructor(recover: () => Promise<void>, onChange: (closed: boolean) => void = () => undefined) {
    this.#recover = recover;
    this.#onChange = onChange;
  }

  /** Whether the master may be asked. */
  get closed(): boolean {
    return this.#closed;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    const nowMs = performance.now();
    if (this.#failures === 0) this.#failingSinceMs = nowMs;
    this.#failures += 1;
    if (this.#failures >= failuresToOpen && nowMs - this.#failingSinceMs >= failingMs) this.open();
  }

  /** Opens the breaker until `recover` succeeds. */
  open(): void {
    if (!this.#closed) return;
    this.#closed = false;
    this.#onChange(false);
  }

  /** Tries to recover. Never rejects. */
  async tryNow(): Promise<void> {
    if (this.#closed || this.#recovering) return;
    this.#recovering = true;
    try {
      await this.#recover();
      this.#closed = true;
      this.#failures = 0;
      this.#onChange(true);
    } catch {
      // It is tried again.
    } finally {
      this.#recovering = false;
    }
  }
}

export type MasterBreakersOptions = {
  readonly redis: Masters;
  /** Resolves when this master may be used again. */
  readonly recover: (master: string) => Promise<void>;
  /** Called when the breaker of a master closes (`inUse`) or opens. */
  readonly onChange: (master: string, inUse: boolean) => void;
};

/**
 * One circuit breaker for each Redis master, so that a failing master does not stop the others. A replica that becomes
 * master gets a new breaker, which has to recover first.
 */
export class MasterBreakers implements Disposable {
  readonly #options: MasterBreakersOptions;
  readonly #breakers = new Map<string, MasterBreaker>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: MasterBreakersOptions) {
    this.#options = options;
    this.#follow();
    options.redis.watchMasters({
      ready: (master) => void this.#breakers.get(master)?.tryNow(),
      lost: (master) => this.#breakers.get(master)?.open(),
      changed: () => this.#follow(),
    });
    this.#timer = setInterval(() => void this.tryAll(), tryEveryMs);
    this.#timer.unref();
  }

  /** The breaker of the master that has a key now; undefined while that is unknown. */
  for(key: string): MasterBreaker | undefined {
    const master = this.#options.redis.masterOf(key);
    return master === undefined ? undefined : this.#of(master);
  }

  /** Whether any master may be asked. */
  get someClosed(): boolean {
    return [...this.#breakers.values()].some((breaker) => breaker.closed);
  }

  /** Whether masters are known and all of them may be asked. */
  get allClosed(): boolean {
    return this.#breakers.size > 0 && [...this.#breakers.values()].every((breaker) => breaker.closed);
  }

  /** Tries now to recover all masters whose breaker is open. Never rejects. */
  async tryAll(): Promise<void> {
    await Promise.all([...this.#breakers.values()].map((breaker) => breaker.tryNow()));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #of(master: string): MasterBreaker {
    const known = this.#breakers.get(master);
    if (known !== undefined) return known;
    const { recover, onChange } = this.#options;
    const breaker = new MasterBreaker(
      () => recover(master),
      (closed) => onChange(master, closed),
    );
    this.#breakers.set(master, breaker);
    void breaker.tryNow();
    return breaker;
  }

  #follow(): void {
    const masters = new Set(this.#options.redis.masters());
    for (const master of this.#breakers.keys()) if (!masters.has(master)) this.#breakers.delete(master);
    for (const master of masters) this.#of(master);
  }
}
