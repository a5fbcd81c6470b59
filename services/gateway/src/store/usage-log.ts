import { idBatches, refusedWrites, storeCall, translateMongoError } from '@sigcast/mongo';
import type { Logger, Resources } from '@sigcast/runtime';
import { dayMs } from '../domain/usage.ts';
import { type UsageDay, type UsageFigures, type UsageLetter, usageLetters } from '../domain/usage-days.ts';
import type { Models, UsageDocument } from './models.ts';
import { writeRegularly } from './write-regularly.ts';

const hourMs = 3_600_000;

/** What is not written yet of an account's hour. `hour`: whole hours since 1970. */
type Counts = { readonly account: string; readonly hour: number } & Record<UsageLetter, number>;

/** Counts the requests of accounts by hour (UTC). Requests only count in memory; a timer writes to MongoDB. */
export class UsageLog {
  readonly #models: Models;
  readonly #clock: () => number;
  #counts = new Map<string, Counts>();

  constructor(models: Models, clock: () => number) {
    this.#models = models;
    this.#clock = clock;
  }

  /** Counts one answer to an account's request. `refused`: by a rate limit. */
  note(account: string, status: number, refused: boolean): void {
    const hour = Math.floor(this.#clock() / hourMs);
    let counts = this.#counts.get(nameOf({ account, hour }));
    if (counts === undefined) {
      counts = { account, hour, r: 0, f: 0, c: 0, s: 0 };
      this.#counts.set(nameOf(counts), counts);
    }
    if (refused) {
      counts.f += 1;
      return;
    }
    counts.r += 1;
    if (status >= 500) counts.s += 1;
    else if (status >= 400) counts.c += 1;
  }

  /** Writes the counts. @throws when the store does not answer; the counts then stay in memory. */
  async write(): Promise<void> {
    let batch = [...this.#counts.values()];
    if (batch.length === 0) return;
    this.#counts = new Map();
    try {
      batch = await this.#withoutDeleted(batch);
      if (batch.length > 0) await this.#models.usage.bulkWrite(batch.map(toUpdate), { ordered: false });
    } catch (error) {
      // When two gateways create the same document at once, MongoDB refuses one of them and does the other writes.
      const refused = refusedWrites(error)?.map(({ index }) => index);
      batch.forEach((counts, index) => {
        if (refused === undefined || refused.includes(index)) this.#putBack(counts);
      });
      throw translateMongoError(error);
    }
  }

  /** An account's last days, oldest first, including days without requests. Counts that are not written yet are missing. */
  async read(account: string, days: number): Promise<UsageDay[]> {
    const today = Math.floor(this.#clock() / dayMs);
    const dates = Array.from({ length: days }, (_, i) => dateOf((today - days + 1 + i) * dayMs));
    const range = { $gte: `${account}:${dates[0]}`, $lte: `${account}:${dates.at(-1)}` };
    const found = await storeCall(() => this.#models.usage.find({ _id: range }).lean());
    const byId = new Map(found.map((document) => [document._id, document]));
    return dates.map((date) => ({ date, hours: hoursOf(byId.get(`${account}:${date}`)) }));
  }

  /** Writes this often until released, and once more then. */
  run(everyMs: number, log: Logger, resources: Resources): void {
    writeRegularly({ what: 'usage', write: () => this.write(), everyMs }, log, resources);
  }

  /** Leaves out the counts of deleted accounts: their usage is removed once, and must not be written again after that. */
  async #withoutDeleted(batch: Counts[]): Promise<Counts[]> {
    const ids = new Set(batch.map(({ account }) => account));
    for (const some of idBatches([...ids])) {
      const deleted = await this.#models.accounts
        .find({ _id: { $in: some }, status: 'deleted' }, { _id: 1 })
        .lean();
      for (const { _id } of deleted) ids.delete(_id);
    }
    return batch.filter(({ account }) => ids.has(account));
  }

  #putBack(counts: Counts): void {
    const newer = this.#counts.get(nameOf(counts));
    if (newer === undefined) this.#counts.set(nameOf(counts), counts);
    else for (const letter of usageLetters) newer[letter] += counts[letter];
  }
}

function nameOf({ account, hour }: Pick<Counts, 'account' | 'hour'>): string {
  return `${account} ${hour}`;
}

function toUpdate({ account, hour, ...figures }: Counts) {
  const atMs = hour * hourMs;
  const increments = Object.entries(figures)
    .filter(([, count]) => count > 0)
    .map(([letter, count]) => [`hours.${hour % 24}.${letter}`, count] as const);
  return {
    updateOne: {
      filter: { _id: usageId(account, atMs) },
      update: {
        $inc: Object.fromEntries(increments),
        $setOnInsert: { day: new Date(Math.floor(atMs / dayMs) * dayMs) },
      },
      upsert: true,
    },
  };
}

function hoursOf(document: UsageDocument | undefined): UsageFigures[] {
  return Array.from({ length: 24 }, (_, hour) => ({ r: 0, f: 0, c: 0, s: 0, ...document?.hours[hour] }));
}

/** The id of the document with an account's figures of the day (UTC) that an instant is in, Unix milliseconds. */
export function usageId(account: string, instantMs: number): string {
  return `${account}:${dateOf(instantMs)}`;
}

function dateOf(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}
