/** Something that holds bytes for one client. */
export type BudgetHolder = {
  /** Gives up its bytes and its client, so that others get room. Returns false where that is not possible any more. */
  giveWay(): boolean;
};

/**
 * Bounds the bytes that a process holds for its clients. Above the bound, those who have held bytes for the longest time give
 * way: a new client needs its bytes only for a moment, and those of an attack by slow clients become the oldest.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  /** The oldest first. */
  readonly #held = new Map<BudgetHolder, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Notes how many bytes a holder holds now, all in all. */
  hold(holder: BudgetHolder, bytes: number): void {
    this.#bytes += bytes - (this.#held.get(holder) ?? 0);
    this.#held.set(holder, bytes);
    if (this.#bytes <= this.#maxBytes) return;
    for (const oldest of this.#held.keys()) {
      if (oldest.giveWay()) this.release(oldest);
      if (this.#bytes <= this.#maxBytes) return;
    }
  }

  /** Notes that a holder holds nothing any more. */
  release(holder: BudgetHolder): void {
    this.#bytes -= this.#held.get(holder) ?? 0;
    this.#held.delete(holder);
  }
}
