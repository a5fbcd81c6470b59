/** In local storage while a renewal is under way: when it began, Unix milliseconds. */
const underWayKey = 'sigcast-renewing';
/** A renewal that a closing page left behind has been answered after this long, or never will be. */
const answeredWithinMs = 5_000;

/**
 * Renews a session as the only one among this browser's tabs. The server takes a refresh token that comes a second
 * time for a stolen one and ends the session; so two renewals must never send the same one. A lock keeps tabs apart.
 * A page that was left in the middle of it gives its lock up too early, hence the note that it leaves behind.
 */
export function renewAlone<T>(renew: () => Promise<T>): Promise<T> {
  const alone = async () => {
    await abandonedRenewal();
    localStorage.setItem(underWayKey, String(Date.now()));
    try {
      return await renew();
    } finally {
      localStorage.removeItem(underWayKey);
    }
  };
  // Only secure contexts have locks; elsewhere browsers don't keep the cookie either.
  return 'locks' in navigator ? navigator.locks.request('sigcast-renewing', alone) : alone();
}

/** Waits until a renewal that nobody waits for any more must be over. */
async function abandonedRenewal(): Promise<void> {
  const since = Date.now() - Number(localStorage.getItem(underWayKey) ?? 0);
  if (since < 0 || since >= answeredWithinMs) return;
  await new Promise((resolve) => setTimeout(resolve, answeredWithinMs - since));
}
