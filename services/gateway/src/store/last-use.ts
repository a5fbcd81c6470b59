import { type Logger, type Resources, writeRegularly } from '@sigcast/runtime';
import type { Models } from './models.ts';

/** A key's last use is written at most this often, over all gateways. */
const granularityMs = 60_000;

/** Records when keys were last used. Requests only note the use in memory; a timer writes it to MongoDB. */
export class LastUse {
  readonly #models: Models;
  readonly #clock: () => number;
  /** When each key was used and from which address, not written yet. Both maps: by the key's SHA-256, Unix milliseconds. */
  readonly #noted = new Map<string, { readonly atMs: number; readonly from: string }>();
  /** The last written use of keys, while it is younger than `granularityMs`. */
  readonly #written = new Map<string, number>();

  constructor(models: Models, clock: () => number) {
    this.#models = models;
    this.#clock = clock;
  }

  /** Notes that a key was used just now, from a client address. */
  note(sha256: string, from: string): void {
    const nowMs = this.#clock();
    const writtenAtMs = this.#written.get(sha256);
    if (writtenAtMs !== undefined && nowMs - writtenAtMs < granularityMs) return;
    this.#noted.set(sha256, { atMs: nowMs, from });
  }

  /** Writes the noted uses. @throws when the store does not answer; the uses then stay noted. */
  async write(): Promise<void> {
    const nowMs = this.#clock();
    for (const [sha256, atMs] of this.#written) {
      if (nowMs - atMs >= granularityMs) this.#written.delete(sha256);
    }
    const batch = [...this.#noted];
    if (batch.length === 0) return;
    await this.#models.keys.bulkWrite(
      batch.map(([_id, { atMs, from }]) => ({
        updateOne: {
          filter: {
            _id,
            $or: [{ last_used_at: null }, { last_used_at: { $lte: new Date(atMs - granularityMs) } }],
          },
          update: { $set: { last_used_at: new Date(atMs), last_used_from: from } },
        },
      })),
      { ordered: false },
    );
    for (const [sha256, use] of batch) {
      this.#written.set(sha256, use.atMs);
      if (this.#noted.get(sha256) === use) this.#noted.delete(sha256);
    }
  }

  /** Writes this often until released, and once more then. */
  run(everyMs: number, log: Logger, resources: Resources): void {
    const problem = 'when keys were last used could not be written to MongoDB; the next write tries again';
    writeRegularly(() => this.write(), { problem, everyMs, log }, resources);
  }
}
