import { requestsKept } from '@sigcast/contracts';
import { isInserted, storeCall } from '@sigcast/mongo';
import { type Logger, type Resources, writeRegularly } from '@sigcast/runtime';
import type { RequestBuffer } from '../domain/request-buffer.ts';
import { isGap } from '../domain/request-log.ts';
import { withoutDeleted } from './deleted-accounts.ts';
import { type Models, requestIndexNames } from './models.ts';
import { type Append, OpenBuckets } from './request-buckets.ts';

/** How often requests are written, in milliseconds. A crash loses the requests of this time at most. */
export const requestsEveryMs = 1_000;

/** After this many entries of an account, this process looks whether the account has more than are kept. */
const trimAfter = 1_000;
/** How many buckets one read of {@link RequestLog.trim} is of. */
const trimRead = 1_000;

/** Writes answered requests to MongoDB: one write a second for each account that made some. */
export class RequestLog {
  readonly #models: Models;
  readonly #buffer: RequestBuffer;
  readonly #clock: () => number;
  readonly #buckets = new OpenBuckets();
  /** What was taken from the buffer and may not be written yet. */
  #unwritten: Append[] = [];
  /** How many entries of accounts were written since their last trim. */
  readonly #sinceTrim = new Map<string, number>();

  constructor(models: Models, buffer: RequestBuffer, clock: () => number) {
    this.#models = models;
    this.#buffer = buffer;
    this.#clock = clock;
  }

  /**
   * Writes what was noted; the last write leaves no gap for later.
   * @throws when the store does not answer; nothing is lost then, and a repeated write adds nothing twice.
   */
  async write(isLast = false): Promise<void> {
    await this.#writeTaken();
    const taken = this.#buffer.take(isLast);
    this.#unwritten = taken.flatMap(([account, entries]) => this.#buckets.place(account, entries));
    this.#buckets.closeOld(this.#clock());
    await this.#writeTaken();
  }

  /** Writes this often until released, and once more then. */
  run(everyMs: number, log: Logger, resources: Resources): void {
    const problem = 'requests could not be written to MongoDB; the next write tries again';
    writeRegularly((isLast) => this.write(isLast), { problem, everyMs, log }, resources);
  }

  async #writeTaken(): Promise<void> {
    if (this.#unwritten.length === 0) return;
    const appends = await withoutDeleted(this.#models, this.#unwritten);
    if (appends.length > 0) await this.#append(appends);
    this.#buffer.written(
      this.#unwritten.flatMap(({ entries }) => entries.filter((one) => !isGap(one))).length,
    );
    this.#unwritten = [];
    for (const { account, entries } of appends) await this.#trimNowAndThen(account, entries.length);
  }

  async #append(appends: readonly Append[]): Promise<void> {
    const write = () => this.#models.requests.bulkWrite(appends.map(toWrite), { ordered: false });
    // A bucket that exists was made by a write before, whose answer was lost.
    await isInserted(() => storeCall(write));
  }

  async #trimNowAndThen(account: string, written: number): Promise<void> {
    const since = (this.#sinceTrim.get(account) ?? 0) + written;
    this.#sinceTrim.set(account, since);
    if (since < trimAfter) return;
    this.#sinceTrim.delete(account);
    await this.trim(account);
  }

  /** Removes the oldest buckets of an account beyond `kept` entries. */
  async trim(account: string, kept = requestsKept): Promise<void> {
    let entries = 0;
    for (let before = new Date(8.64e15); ; ) {
      const buckets = await storeCall(() =>
        this.#models.requests
          .find({ account, last: { $lt: before } }, { projection: { _id: 0, last: 1, count: 1 } })
          .sort({ account: 1, last: -1 })
          .hint(requestIndexNames.byAccount)
          .limit(trimRead)
          .toArray(),
      );
      for (const { last, count } of buckets) {
        entries += count;
        if (entries < kept) continue;
        await storeCall(() => this.#models.requests.deleteMany({ account, last: { $lt: last } }));
        return;
      }
      const oldest = buckets.at(-1);
      if (oldest === undefined || buckets.length < trimRead) return;
      before = oldest.last;
    }
  }
}

/** Adds the entries once: the bucket must have as many entries as before. */
function toWrite({ account, bucket, before, entries: given }: Append) {
  const entries = given.map((entry, i) => ({ ...entry, n: before + i }));
  const times = entries.map(({ at }) => at.getTime());
  const last = new Date(Math.max(...times));
  const count = entries.length;
  if (before === 0) {
    const first = new Date(Math.min(...times));
    return { insertOne: { document: { _id: bucket, account, first, last, count, entries } } };
  }
  const update = { $push: { entries: { $each: entries } }, $inc: { count }, $max: { last } };
  return { updateOne: { filter: { _id: bucket, count: before }, update } };
}
