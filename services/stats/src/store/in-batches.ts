/** Most items that are worked off together: a fraction of a second's work for the store. */
const maxBatch = 500;

type Waiting<T> = {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A function that works off one item by working off batches: while one batch is under way, what comes forms the next.
 * Each item shares the fate of its batch.
 */
export function inBatches<T>(work: (batch: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  const waiting: Waiting<T>[] = [];
  let busy = false;

  const run = async () => {
    busy = true;
    // Lets what arrived together come together.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatch);
      try {
        await work(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    busy = false;
  };

  return (item) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!busy) void run();
    });
}
