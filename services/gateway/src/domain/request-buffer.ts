import { refusedKeptPerHour } from '@sigcast/contracts';
import type { GapEntry, LoggedEntry, RefusedKey, RequestEntry } from './request-log.ts';

/** What one process takes at most. Beyond it requests are dropped, and the log says how many. */
const bufferBounds = {
  /** In a second, over all accounts: writing them takes less than 1 % of a core. */
  perSecond: 1_000,
  /** In a second for one account. The log of an account that is faster has gaps. */
  perAccount: 100,
  /**
   * In an hour for one live key, of requests that are refused: whoever has a narrowed key can send any number of them. In the seven
   * days of a log they are half of what is kept.
   */
  refusedPerKey: refusedKeptPerHour.ofKey,
  /** The same for all dead keys of an account: a tenth of what is kept. */
  refusedOfDead: refusedKeptPerHour.ofDeadKeys,
  /** Entries in memory, of some 500 bytes, while the store does not take them. */
  entries: 10_000,
  /** The second half of `perSecond` and of `entries` is for accounts that have fewer than this many in it. */
  few: 10,
};

type BufferBounds = Readonly<Record<keyof typeof bufferBounds, number>>;

type Pending = {
  readonly entries: RequestEntry[];
  gap: GapEntry | undefined;
};

/** Counts by name in periods of one length, from zero in each. */
class PeriodCounts {
  readonly #lengthMs: number;
  #period = 0;
  #total = 0;
  #counts = new Map<string, number>();

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** The counts in the period of this instant. */
  at(nowMs: number, name: string): { readonly own: number; readonly total: number } {
    const period = Math.floor(nowMs / this.#lengthMs);
    if (this.#period !== period) {
      this.#period = period;
      this.#total = 0;
      this.#counts = new Map();
    }
    return { own: this.#counts.get(name) ?? 0, total: this.#total };
  }

  /** Counts one in the period that `at` was last asked about. */
  add(name: string): void {
    this.#total += 1;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}

/** Answered requests that are not written yet. Noting one takes the same time whatever is in it. */
export class RequestBuffer {
  readonly #clock: () => number;
  readonly #onDropped: () => void;
  readonly #bounds: BufferBounds;
  #pending = new Map<string, Pending>();
  #size = 0;
  readonly #noted = new PeriodCounts(1_000);
  readonly #refused = new PeriodCounts(3_600_000);
  /** Gaps that were taken: one a minute, so that a log without end of refusals does not become one of gaps. */
  readonly #gaps = new PeriodCounts(60_000);

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

  /** Notes a request, or that one is missing. `refused`: whose refused requests it is one of. */
  note(account: string, entryOf: () => RequestEntry, refused?: RefusedKey): void {
    const nowMs = this.#clock();
    const pending = this.#pendingOf(account);
    if (!this.#hasRoom({ nowMs, account, refused, waiting: pending.entries.length })) {
      const at = new Date(nowMs);
      pending.gap = { from: pending.gap?.from ?? at, at, dropped: (pending.gap?.dropped ?? 0) + 1 };
      this.#onDropped();
      return;
    }
    pending.entries.push(entryOf());
    this.#noted.add(account);
    if (refused !== undefined) this.#refused.add(`${account} ${refused}`);
    this.#size += 1;
  }

  /**
   * Takes what was noted, by account, in order; a gap comes last, and waits for a minute in which the account has none yet.
   * It stays part of the size until it is {@link written}. `all`: no gap waits.
   */
  take(all = false): [account: string, entries: LoggedEntry[]][] {
    const nowMs = this.#clock();
    const taken: [string, LoggedEntry[]][] = [];
    const waiting = new Map<string, Pending>();
    for (const [account, { entries, gap }] of this.#pending) {
      const isGapDue = gap !== undefined && (all || this.#gaps.at(nowMs, account).own === 0);
      if (isGapDue) this.#gaps.add(account);
      else if (gap !== undefined) waiting.set(account, { entries: [], gap });
      if (isGapDue) taken.push([account, [...entries, gap]]);
      else if (entries.length > 0) taken.push([account, entries]);
    }
    this.#pending = waiting;
    return taken;
  }

  /** Says that entries which were taken are out of memory. Gaps are not counted. */
  written(requests: number): void {
    this.#size -= requests;
  }

  #hasRoom(request: {
    nowMs: number;
    account: string;
    refused: RefusedKey | undefined;
    waiting: number;
  }): boolean {
    const { nowMs, account, refused, waiting } = request;
    const { perSecond, perAccount, refusedPerKey, refusedOfDead, entries, few } = this.#bounds;
    const noted = this.#noted.at(nowMs, account);
    return (
      noted.own < perAccount &&
      noted.total < (noted.own < few ? perSecond : perSecond / 2) &&
      this.#size < (waiting < few ? entries : entries / 2) &&
      (refused === undefined ||
        this.#refused.at(nowMs, `${account} ${refused}`).own <
          (refused === 'dead' ? refusedOfDead : refusedPerKey))
    );
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
