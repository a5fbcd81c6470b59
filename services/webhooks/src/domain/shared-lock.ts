/** Lets any number of tasks run together, or one alone. A task that wants to be alone keeps later ones waiting. */
export class SharedLock {
  #running = 0;
  #alone = false;
  readonly #waiting: { readonly alone: boolean; readonly start: () => void }[] = [];

  /** Runs a task beside others. */
  together<T>(task: () => Promise<T>): Promise<T> {
    return this.#run(false, task);
  }

  /** Runs a task when no other runs, and keeps others from running meanwhile. */
  alone<T>(task: () => Promise<T>): Promise<T> {
    return this.#run(true, task);
  }

  async #run<T>(alone: boolean, task: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#admits(alone)) {
      await new Promise<void>((start) => this.#waiting.push({ alone, start }));
    } else {
      this.#enter(alone);
    }
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#alone = false;
      this.#startWaiting();
    }
  }

  #startWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#admits(next.alone)) return;
      this.#waiting.shift();
      this.#enter(next.alone);
      next.start();
    }
  }

  #admits(alone: boolean): boolean {
    return !this.#alone && (!alone || this.#running === 0);
  }

  #enter(alone: boolean): void {
    this.#running += 1;
    this.#alone = alone;
  }
}
