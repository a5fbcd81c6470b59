import { serviceAnswers } from './api/connection.ts';

/** In session storage: when this tab last loaded itself again. */
const reloadedKey = 'sigcast-reloaded';
/** A file that is still missing after that is missing for good: loading again at once would go on for ever. */
const leastBetweenMs = 60_000;

/**
 * Loads a file of the page. When that fails, the page is loaded again, once the service answers: a newer build has the
 * file under another name, and a browser may remember what failed. Until then the file is on its way.
 */
export async function loadFile<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    await serviceAnswers();
    const sinceMs = Date.now() - Number(sessionStorage.getItem(reloadedKey));
    if (sinceMs < leastBetweenMs) throw error;
    sessionStorage.setItem(reloadedKey, String(Date.now()));
    location.reload();
    return new Promise(() => undefined);
  }
}
