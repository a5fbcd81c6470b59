import type { Admission } from './admission.ts';
import type { ApiKey } from './api-key.ts';

/** How long what an admission said is believed: as long as a revoked key may still cost its service a read. */
const believedMs = 10_000;
/** The share of a limit that is left alone: other gateways and keys use it, too. */
const reservedShare = 0.1;
/** Keys and accounts remembered, each; the one that was learned of longest ago goes first. */
const maxKnown = 10_000;

/**
 * Keys whose next read will hardly be refused, so that the service can be asked while the request is being counted.
 * Whether it is admitted is decided as ever, and the answer waits for that. A wrong guess costs the service's work: in
 * ten seconds for no more requests of an account than it had left when they began, less a tenth of its limit.
 */
export class HeadStarts {
  readonly #clock: () => number;
  /** Until when a key is believed to be good, by its hash. */
  readonly #keys = new Map<string, number>();
  /** Requests that may still be begun. */
  readonly #accounts = new Map<string, { left: number; readonly untilMs: number }>();

  /** `clock`: milliseconds that nobody sets back. */
  constructor(clock = () => performance.now()) {
    this.#clock = clock;
  }

  /** Whether a request with this key may be begun; it is, if so. */
  take({ sha256, account }: ApiKey): boolean {
    const nowMs = this.#clock();
    const known = this.#accounts.get(account);
    if (known === undefined || known.untilMs < nowMs || known.left < 1) return false;
    if ((this.#keys.get(sha256) ?? 0) < nowMs) return false;
    known.left -= 1;
    return true;
  }

  /** Learns from what became of a request with this key. */
  note({ sha256, account }: ApiKey, { admitted, degraded, report }: Admission): void {
    if (!admitted || degraded) {
      this.#keys.delete(sha256);
      this.#accounts.delete(account);
      return;
    }
    const nowMs = this.#clock();
    remember(this.#keys, sha256, nowMs + believedMs);
    const left = report.headline.remaining - report.headline.limit * reservedShare;
    const known = this.#accounts.get(account);
    // While it is believed it only falls: what is begun and not counted yet is in it, and not in what this one says.
    if (known !== undefined && known.untilMs >= nowMs) known.left = Math.min(known.left, left);
    else remember(this.#accounts, account, { left, untilMs: nowMs + believedMs });
  }
}

function remember<V>(known: Map<string, V>, name: string, value: V): void {
  known.delete(name);
  known.set(name, value);
  if (known.size <= maxKnown) return;
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
