/** A waiting queue: how long its messages stay, and what it is called. */
export type WaitingQueue = { readonly name: string; readonly ttlMs: number };

/** Receivers that failed together are not asked again together: each step is spread over ±15 %, in four slices. */
const sliceFactors = [0.85, 0.95, 1.05, 1.15];

/** The waiting queues of a schedule, by step and slice. The delay is in the name: another schedule has other queues. */
export function waitingQueues(delaysMs: readonly number[]): readonly (readonly WaitingQueue[])[] {
  return delaysMs.map((delayMs, step) =>
    sliceFactors.map((factor, slice) => {
      const ttlMs = Math.max(1, Math.round(delayMs * factor));
      return { name: `webhooks.retry.${step + 1}.${slice + 1}.${ttlMs}`, ttlMs };
    }),
  );
}

/** A random slice of a step. `random` is in [0, 1). */
export function pickSlice(slices: readonly WaitingQueue[], random: () => number): WaitingQueue {
  const slice = slices[Math.floor(random() * slices.length)];
  if (!slice) throw new Error('a retry step without waiting queues');
  return slice;
}
