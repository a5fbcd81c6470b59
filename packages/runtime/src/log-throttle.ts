/** How long a message is not logged again, in milliseconds. */
const intervalMs = 60_000;
/** The most messages that are remembered. When there are more, all are forgotten. */
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
