/** The bounds of batches. */
type BatchOptions = {
  /** Items of one batch at most. */
  readonly most: number;
  /** Batches that run at once at most. Meanwhile items wait for the next batch. */
  readonly atOnce: number;
  /** How long a batch waits for more items, in milliseconds, as long as it is not full; no longer than a turn unless given. */
  readonly lingerMs?: number;
};

type Waiting<T, R> = {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Makes a function for one item that processes items in batches. Items that arrive in one turn of the event loop, while
 * batches are running, or while a batch lingers, share a batch.
 *
 * @param work gets a batch in the order of arrival and returns a result for each item, in that order. If it throws, the
 * call for every item of the batch rejects.
 */
export function inBatches<T, R>(
  work: (batch: readonly T[]) => Promise<readonly R[]>,
  { most, atOnce, lingerMs = 0 }: BatchOptions,
): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = [];
  let running = 0;
  let lingering: NodeJS.Timeout | undefined;

  const flush = async () => {
    clearTimeout(lingering);
    lingering = undefined;
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
    flushSoon();
  };

  const flushSoon = () => {
    if (lingerMs === 0 || waiting.length >= most) void flush();
    else if (waiting.length > 0) lingering ??= setTimeout(() => void flush(), lingerMs);
  };

  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Items of the same turn of the event loop join the batch.
      setImmediate(flushSoon);
    });
}
