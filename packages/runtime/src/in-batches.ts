/** How items are put together. */
export type BatchOptions = {
  /** Items in one batch at most. */
  readonly most: number;
  /** Batches under way at once at most; while so many are, items gather for the next. */
  readonly atOnce: number;
};

type Waiting<T, R> = {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A function that works off one item by working off batches: what comes while batches are under way, or in one turn of
 * the event loop, goes together. Alone, an item waits for nobody.
 *
 * @param work takes a batch in the order of its coming and gives a result for each, in that order. Where it throws,
 * every item of the batch rejects.
 */
export function inBatches<T, R>(
  work: (batch: readonly T[]) => Promise<readonly R[]>,
  { most, atOnce }: BatchOptions,
): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = [];
  let underWay = 0;

  const flush = async () => {
    if (underWay >= atOnce || waiting.length === 0) return;
    underWay += 1;
    const batch = waiting.splice(0, most);
    try {
      const results = await work(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay -= 1;
    void flush();
  };

  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // What arrives in the same turn of the event loop goes along.
      setImmediate(() => void flush());
    });
}
