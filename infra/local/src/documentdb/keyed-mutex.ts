/** Runs operations with a common key one after the other, and all others at the same time. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `operation` once every earlier one that shares a key with it has ended. */
  async take<T>(keys: readonly string[], operation: () => Promise<T>): Promise<T> {
    if (keys.length === 0) return operation();
    // Registered for all keys before anything is awaited, so two operations can't wait for each other.
    const earlier = keys.flatMap((key) => this.#last.get(key) ?? []);
    const turn = Promise.allSettled(earlier).then(operation);
    const ended = turn.catch(() => undefined);
    for (const key of keys) this.#last.set(key, ended);
    try {
      return await turn;
    } finally {
      for (const key of keys) if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }
}
