import type { Admission } from './admission.ts';
import type { ApiKey } from './api-key.ts';

/** How long what an admission said of a key is believed, in milliseconds. */
const believedMs = 10_000;
/** The part of a limit that must remain beyond the requests that were begun. */
const reserve = 0.1;
/** Keys remembered at most; the one that was admitted longest ago goes first. */
const maxKeys = 10_000;

/**
 * Keys whose next read will hardly be refused, so that the service can be asked while the request is being counted.
 * Whether it is admitted is decided as ever, and the answer waits for that; all that a wrong guess costs is the
 * service's work, and of that never more than remained when the key was last admitted.
 */
export class HeadStarts {
  readonly #clock: () => number;
  /** By hash. `left`: requests that may still be begun. In the order of their last admission. */
  readonly #keys = new Map<string, { left: number; readonly untilMs: number }>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Whether a request with this key may be begun; it is, if so. */
  take(key: ApiKey): boolean {
    const known = this.#keys.get(key.sha256);
    if (known === undefined || known.left < 1 || known.untilMs < this.#clock()) return false;
    known.left -= 1;
    return true;
  }

  /** Learns from what became of a request with this key. */
  note({ sha256 }: ApiKey, { admitted, degraded, report }: Admission): void {
    this.#keys.delete(sha256);
    if (!admitted || degraded) return;
    const { remaining, limit } = report.headline;
    this.#keys.set(sha256, { left: remaining - limit * reserve, untilMs: this.#clock() + believedMs });
    if (this.#keys.size > maxKeys)
      for (const oldest of this.#keys.keys()) return void this.#keys.delete(oldest);
  }
}
