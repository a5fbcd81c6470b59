import { serviceAnswers } from './api/connection.ts';

/** Key in session storage: when this tab last reloaded. */
const reloadedKey = 'sigcast-reloaded';
/** A file that is still missing after a reload may stay missing: reloading at once again would never end. */
const leastBetweenMs = 60_000;

/** Whether a reload is under way. Until it ends the page, several files may fail. */
let reloading = false;

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
    if (!reloading) {
      const sinceMs = Date.now() - Number(sessionStorage.getItem(reloadedKey));
      if (sinceMs < leastBetweenMs) throw error;
      sessionStorage.setItem(reloadedKey, String(Date.now()));
      reloading = true;
      location.reload();
    }
    return new Promise(() => undefined);
  }
}
