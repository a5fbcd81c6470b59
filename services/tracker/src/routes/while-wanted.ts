import type { Response } from 'express';

/**
 * Works for an answer until its client has gone. The signal says so to the work, which may then throw the signal's reason.
 * @returns what the work returns; undefined when the client has gone.
 */
export async function whileWanted<T>(
  res: Response,
  work: (gone: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  try {
    return await work(gone.signal);
  } catch (error) {
    if (gone.signal.aborted) return undefined;
    throw error;
  }
}
