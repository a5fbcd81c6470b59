/** The bounds of batches. */
type BatchOptions = {
  /** The most items in one batch. */
  readonly most: number;
  /** The most batches that run at once. While so many run, items wait for the next batch. */
  readonly atOnce: number;
};

type Waiting<T, R> = {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Makes a function for one item that processes items in batches. Items that arrive in one turn of the event loop, or while
 * batches are running, share a batch. A single item is processed at once.
 *
 * @param work gets a batch in the order of arrival and returns a result for each item, in that order. If it throws, the
 * call for every item of the batch rejects.
 */
export function inBatches<T, R>(
  work: (batch: readonly T[]) => Promise<readonly R[]>,
  { most, atOnce }: BatchOptions,
): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = [];
  let running = 0;

  const flush = async () => {
    if (running >= atOnce || waiting.length === 0) return;
    running += 1;
    const batch = waiting.splice(0, most);
    try {
      const results = await work(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    running -= 1;
    void flush();
  };

  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Items of the same turn of the event loop join the batch.
      setImmediate(() => void flush());
    });
}
