/** Attempts under way, bounded per subscription and in all. */
export class Slots {
  readonly #maxInFlight: number;
  readonly #maxAttempts: number;
  readonly #used = new Map<string, number>();
  #total = 0;

  constructor(bounds: { readonly maxInFlight: number; readonly maxAttempts: number }) {
    this.#maxInFlight = bounds.maxInFlight;
    this.#maxAttempts = bounds.maxAttempts;
  }

  /** Slots taken in all. */
  get used(): number {
    return this.#total;
  }

  usedBy(subscription: string): number {
    return this.#used.get(subscription) ?? 0;
  }

  /** Takes a slot; false when there is none. */
  occupy(subscription: string): boolean {
    const used = this.usedBy(subscription);
    if (used >= this.#maxInFlight || this.#total >= this.#maxAttempts) return false;
    this.#used.set(subscription, used + 1);
    this.#total += 1;
    return true;
  }

  free(subscription: string): void {
    const used = this.usedBy(subscription);
    if (used <= 1) this.#used.delete(subscription);
    else this.#used.set(subscription, used - 1);
    this.#total -= 1;
  }
}
