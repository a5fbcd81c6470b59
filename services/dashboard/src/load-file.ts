import { serviceAnswers } from './api/connection.ts';

/** Key in session storage: when this tab last reloaded. */
const reloadedKey = 'sigcast-reloaded';
/** A file that is still missing after a reload may stay missing: reloading at once again would never end. */
const leastBetweenMs = 60_000;

/**
 * Loads a file of the page. If that fails, reloads the page as soon as the service answers, and the promise stays pending
 * until then: a newer build has the file under another name, and a browser may remember the failure of an import.
 * @throws when the file is still missing after a reload.
 */
export async function loadFile<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    await serviceAnswers();
    const reloadedMs = Number(sessionStorage.getItem(reloadedKey));
    const isRecent = Date.now() - reloadedMs < leastBetweenMs;
    // Another file has failed before, and the reload is under way.
    const isUnderWay = isRecent && reloadedMs >= performance.timeOrigin;
    if (isRecent && !isUnderWay) throw error;
    if (!isUnderWay) {
      sessionStorage.setItem(reloadedKey, String(Date.now()));
      location.reload();
    }
    return new Promise(() => undefined);
  }
}
