import type { ApiKey } from './api-key.ts';
import { admits, reportUsage, type Usage } from './usage.ts';

/** Of a caller with nothing left, one request in this time is asked about: so long may a raised limit go unnoticed. */
const askEveryMs = 100;
/** A key that the store did not know is not looked up for so long. Nobody can guess one that is made meanwhile. */
const unknownForMs = 1_000;
/** Of an address with nothing left, one key without a copy is looked up in this time. */
const lookUpEveryMs = 1_000;
/** At most so many of a kind are kept; then the oldest is forgotten, and asked about again. */
const maxKept = 10_000;

/** A decision by counts, and whether they are this process' own because the shared ones are away. */
export type Counted = { readonly admitted: boolean; readonly usage: Usage; readonly degraded: boolean };

/** Who asks: an account, by a key; or its holder, signed in. */
export type Caller = { readonly account: string; readonly key?: ApiKey; readonly sessionId?: string };

export type CallerCounted = Counted & { readonly caller: Caller };

/** A refusal that was true at `atMs` and is until `endsMs`; at `askMs` somebody should ask whether it still is. */
type Kept<T> = { readonly counted: T; readonly atMs: number; readonly endsMs: number; askMs: number };

/**
 * Refusals that are certain: repeating them costs no look-up, so that refused requests leave the stores to others.
 * A caller is named by the SHA-256 of its key or access token. Times are in milliseconds on a clock that never steps back.
 */
export class Refusals {
  readonly #clock: () => number;
  readonly #callers = new Map<string, Kept<CallerCounted>>();
  readonly #unknown = new Map<string, number>();
  readonly #addresses = new Map<string, Kept<Counted>>();
  readonly #lookedUp = new Map<string, number>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** To be read before the counters are asked: their answer is at least as new. */
  get nowMs(): number {
    return this.#clock();
  }

  /** What a caller with nothing left is told again; undefined where the counters are to be asked. */
  ofCaller(name: string): CallerCounted | undefined {
    return this.#repeat(this.#callers, name);
  }

  /** What an address with nothing left is told again. */
  ofAddress(address: string): Counted | undefined {
    return this.#repeat(this.#addresses, address);
  }

  /** Whether the store did not know this key a moment ago. */
  isUnknown(sha256: string): boolean {
    return (this.#unknown.get(sha256) ?? 0) > this.#clock();
  }

  /** Takes note of what the counters say of a caller. `askedAtMs`: `nowMs` before they were asked. */
  noteCaller(name: string, counted: CallerCounted, askedAtMs: number): void {
    this.#note(this.#callers, name, { counted, askedAtMs, askMs: askedAtMs + askEveryMs });
  }

  /** A caller is refused for another reason now. */
  forgetCaller(name: string): void {
    this.#callers.delete(name);
  }

  /** Takes note of what the counters say of an address. Its limit never changes, so nobody need ask before its window ends. */
  noteAddress(address: string, counted: Counted, askedAtMs: number): void {
    this.#note(this.#addresses, address, { counted, askedAtMs, askMs: Number.POSITIVE_INFINITY });
  }

  noteUnknown(sha256: string): void {
    put(this.#unknown, sha256, this.#clock() + unknownForMs);
  }

  /** Whether a key without a copy may be looked up for an address with nothing left; if so, no other for a second. */
  takeLookUp(address: string): boolean {
    const nowMs = this.#clock();
    if ((this.#lookedUp.get(address) ?? 0) > nowMs) return false;
    put(this.#lookedUp, address, nowMs + lookUpEveryMs);
    return true;
  }

  #repeat<T extends Counted>(kept: Map<string, Kept<T>>, name: string): T | undefined {
    const known = kept.get(name);
    if (known === undefined) return undefined;
    const nowMs = this.#clock();
    if (nowMs >= known.endsMs) {
      kept.delete(name);
      return undefined;
    }
    if (nowMs >= known.askMs) {
      known.askMs = nowMs + askEveryMs; // by this one; others hear meanwhile what is known
      return undefined;
    }
    const { counted } = known;
    const usage = { ...counted.usage, nowMs: counted.usage.nowMs + nowMs - known.atMs };
    return { ...counted, admitted: false, usage };
  }

  #note<T extends Counted>(
    kept: Map<string, Kept<T>>,
    name: string,
    { counted, askedAtMs, askMs }: { counted: T; askedAtMs: number; askMs: number },
  ): void {
    if (admits(counted.usage)) {
      kept.delete(name);
      return;
    }
    const { headline, nowMs } = reportUsage(counted.usage);
    // The counters' instant is not before they were asked: never longer than their window.
    const endsMs = askedAtMs + headline.endsMs - nowMs;
    put(kept, name, { counted, atMs: this.#clock(), endsMs, askMs });
  }
}

function put<T>(kept: Map<string, T>, name: string, value: T): void {
  kept.delete(name);
  kept.set(name, value);
  if (kept.size <= maxKept) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}
