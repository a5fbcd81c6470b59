/** For how long after a message the same message is not due again, in milliseconds. */
const intervalMs = 60_000;
/** The most messages in the map. Before it holds more, it is cleared. */
const maxMessages = 100;

/** Limits how often the same message is logged. */
export class LogThrottle {
  readonly #loggedAtMs = new Map<string, number>();

  /** Whether a message was not logged within the last minute. If so, it counts as logged now. */
  isDue(message: string): boolean {
    const nowMs = performance.now();
    const saidAtMs = this.#loggedAtMs.get(message);
    if (saidAtMs !== undefined && nowMs - saidAtMs < intervalMs) return false;
    if (this.#loggedAtMs.size >= maxMessages) this.#loggedAtMs.clear();
    this.#loggedAtMs.set(message, nowMs);
    return true;
  }
}
