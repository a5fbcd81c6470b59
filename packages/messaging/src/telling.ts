/** What was said once is not said again for this long, in milliseconds. */
const everyMs = 60_000;
/** Beyond so many different ones, memory matters more than saying one of them twice. */
const maxRemembered = 100;

/** Keeps a log from filling with what happens again and again. */
export class Telling {
  readonly #saidAtMs = new Map<string, number>();

  /** True when `what` was not said within the last minute; then it counts as said now. */
  isDue(what: string): boolean {
    const nowMs = performance.now();
    const saidAtMs = this.#saidAtMs.get(what);
    if (saidAtMs !== undefined && nowMs - saidAtMs < everyMs) return false;
    if (this.#saidAtMs.size >= maxRemembered) this.#saidAtMs.clear();
    this.#saidAtMs.set(what, nowMs);
    return true;
  }
}
