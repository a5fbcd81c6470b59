/** Why a signal has no history: the signal is too new, or nothing was recorded of it. */
export type NoHistory = 'not yet' | 'never recorded';

/** If a history is recorded of a signal, it has begun when the signal is this old. */
const beginsWithinMs = 120_000;

/** Why a signal that was created at `createdAt` has no history at `nowMs`, in Unix milliseconds. */
export function noHistory(createdAt: string, nowMs: number): NoHistory {
  return nowMs - Date.parse(createdAt) < beginsWithinMs ? 'not yet' : 'never recorded';
}
