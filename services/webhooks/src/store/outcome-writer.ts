import type { DeliveryAttempt } from '@sigcast/contracts';
import type { mongo } from 'mongoose';
import type { DeliveryDocument, Models } from './documents.ts';

type Update = mongo.UpdateFilter<DeliveryDocument>;
type Outcome = {
  readonly id: string;
  readonly leaseToken: string;
  readonly attempt: DeliveryAttempt;
  readonly update: Update;
};
type Waiting = Outcome & { resolve(written: boolean): void; reject(error: unknown): void };

/** Outcomes written in one go at most. */
const maxBatch = 100;

/** Commands under way at once: while some are, outcomes gather for the next. */
const maxCommands = 2;

/**
 * Writes outcomes of attempts, those that come while others are being written together in one command: under load
 * that is several times what single updates come to, and alone an outcome waits for nobody.
 */
export class OutcomeWriter {
  readonly #deliveries: Models['deliveries'];
  readonly #waiting: Waiting[] = [];
  #commands = 0;

  constructor(deliveries: Models['deliveries']) {
    this.#deliveries = deliveries;
  }

  /** Resolves to whether it was written: it is not when the lease is another's by now. */
  write(outcome: Outcome): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...outcome, resolve, reject });
      // What happens to end in the same turn of the event loop goes along.
      setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    if (this.#commands >= maxCommands || this.#waiting.length === 0) return;
    this.#commands += 1;
    const batch = this.#waiting.splice(0, maxBatch);
    void this.#writeAll(batch)
      .then(
        (written) => {
          for (const [n, { resolve }] of batch.entries()) resolve(written[n] ?? false);
        },
        (error: unknown) => {
          for (const { reject } of batch) reject(error);
        },
      )
      .finally(() => {
        this.#commands -= 1;
        this.#flush();
      });
  }

  async #writeAll(batch: readonly Outcome[]): Promise<readonly boolean[]> {
    const { matchedCount } = await this.#deliveries.db
      .collection<DeliveryDocument>(this.#deliveries.collection.name)
      .bulkWrite(
        batch.map(({ id, leaseToken, update }) => ({
          updateOne: { filter: { _id: id, 'lease.token': leaseToken }, update },
        })),
        { ordered: false },
      );
    if (matchedCount === batch.length) return batch.map(() => true);
    // Some lost their lease, or were written before by a command whose answer did not arrive.
    const found = await this.#deliveries
      .find({ _id: { $in: batch.map(({ id }) => id) } }, { attempts: 1 })
      .lean();
    const logs = new Map(found.map(({ _id, attempts }) => [_id, attempts]));
    return batch.map(({ id, attempt }) =>
      (logs.get(id) ?? []).some(
        ({ started_at, outcome }) => started_at === attempt.started_at && outcome === attempt.outcome,
      ),
    );
  }
}
