/** In session storage: when this tab last loaded itself again. */
const reloadedKey = 'sigcast-reloaded';
/** A file that is still missing after that is missing for good: loading again at once would go on for ever. */
const leastBetweenMs = 60_000;

/** Loads the page again when a file of it is gone: a tab that was open before a new build asks for the old one's. */
export function reloadWhenOutdated(): void {
  window.addEventListener('vite:preloadError', () => {
    const sinceMs = Date.now() - Number(sessionStorage.getItem(reloadedKey));
    // Without a connection there would be nothing to show at all.
    if (!navigator.onLine || sinceMs < leastBetweenMs) return;
    sessionStorage.setItem(reloadedKey, String(Date.now()));
    location.reload();
  });
}
