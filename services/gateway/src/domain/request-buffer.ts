import type { GapEntry, LoggedEntry, RequestEntry } from './request-log.ts';

/** What one process takes at most. Beyond it requests are dropped, and the log says how many. */
const bufferBounds = {
  /** In a second, over all accounts: writing them takes less than 1 % of a core. */
  perSecond: 1_000,
  /** In a second for one account. The log of an account that is faster has gaps. */
  perAccount: 100,
  /** Entries in memory, of some 500 bytes, while the store does not take them. */
  entries: 10_000,
};

type BufferBounds = Readonly<Record<keyof typeof bufferBounds, number>>;

type Pending = {
  readonly entries: RequestEntry[];
  gap: GapEntry | undefined;
};

/** Answered requests that are not written yet. Noting one takes the same time whatever is in it. */
export class RequestBuffer {
  readonly #clock: () => number;
  readonly #onDropped: () => void;
  readonly #bounds: BufferBounds;
  #pending = new Map<string, Pending>();
  #size = 0;
  /** How many were noted in this second, whole seconds since 1970: over all accounts, and for each. */
  #second = 0;
  #noted = 0;
  #notedOf = new Map<string, number>();

  /** @param onDropped called for each request that is dropped. */
  constructor(clock: () => number, onDropped: () => void, bounds: Partial<BufferBounds> = {}) {
    this.#clock = clock;
    this.#onDropped = onDropped;
    this.#bounds = { ...bufferBounds, ...bounds };
  }

  /** How many entries are in memory: those that were not taken, or not {@link written} since. */
  get size(): number {
    return this.#size;
  }

  /** Notes a request, or that one is missing. */
  note(account: string, entryOf: () => RequestEntry): void {
    const nowMs = this.#clock();
    const second = Math.floor(nowMs / 1_000);
    const pending = this.#pendingOf(account);
    if (this.#second !== second) {
      this.#second = second;
      this.#noted = 0;
      this.#notedOf = new Map();
    }
    const notedOf = this.#notedOf.get(account) ?? 0;
    const hasRoom =
      notedOf < this.#bounds.perAccount &&
      this.#noted < this.#bounds.perSecond &&
      this.#size < this.#bounds.entries;
    if (!hasRoom) {
      const at = new Date(nowMs);
      pending.gap = { from: pending.gap?.from ?? at, at, dropped: (pending.gap?.dropped ?? 0) + 1 };
      this.#onDropped();
      return;
    }
    pending.entries.push(entryOf());
    this.#notedOf.set(account, notedOf + 1);
    this.#noted += 1;
    this.#size += 1;
  }

  /** Takes what was noted, by account, in order; a gap comes last. It stays part of the size until it is {@link written}. */
  take(): [account: string, entries: LoggedEntry[]][] {
    const taken = [...this.#pending].map(([account, { entries, gap }]): [string, LoggedEntry[]] => [
      account,
      gap === undefined ? entries : [...entries, gap],
    ]);
    this.#pending = new Map();
    return taken;
  }

  /** Says that entries which were taken are out of memory. Gaps are not counted. */
  written(requests: number): void {
    this.#size -= requests;
  }

  #pendingOf(account: string): Pending {
    let pending = this.#pending.get(account);
    if (pending === undefined) {
      pending = { entries: [], gap: undefined };
      this.#pending.set(account, pending);
    }
    return pending;
  }
}
