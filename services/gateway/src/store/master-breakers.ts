import type { Masters } from '@sigcast/redis';
import { MasterBreaker } from './master-breaker.ts';

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
  readonly #redis: Masters;
  readonly #recover: MasterBreakersOptions['recover'];
  readonly #onChange: MasterBreakersOptions['onChange'];
  readonly #breakers = new Map<string, MasterBreaker>();

  constructor(options: MasterBreakersOptions) {
    this.#redis = options.redis;
    this.#recover = options.recover;
    this.#onChange = options.onChange;
    this.#follow();
    options.redis.watchMasters({
      ready: (master) => void this.#breakers.get(master)?.tryNow(),
      lost: (master) => this.#breakers.get(master)?.open(),
      changed: () => this.#follow(),
    });
  }

  /** The breaker of the master that has a key now; undefined while that is unknown. */
  for(key: string): MasterBreaker | undefined {
    const master = this.#redis.masterOf(key);
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
    for (const breaker of this.#breakers.values()) breaker[Symbol.dispose]();
  }

  #of(master: string): MasterBreaker {
    const known = this.#breakers.get(master);
    if (known !== undefined) return known;
    const breaker = new MasterBreaker(
      () => this.#recover(master),
      (closed) => this.#onChange(master, closed),
    );
    this.#breakers.set(master, breaker);
    void breaker.tryNow();
    return breaker;
  }

  #follow(): void {
    const masters = new Set(this.#redis.masters());
    for (const [master, breaker] of this.#breakers) {
      if (masters.has(master)) continue;
      breaker[Symbol.dispose]();
      this.#breakers.delete(master);
    }
    for (const master of masters) this.#of(master);
  }
}
