const key = 'sigcast.times';

/** Where times are shown in: the reader's own zone, or UTC. */
export type TimeZoneChoice = 'own' | 'utc';

/** What was chosen in this browser. There is no storage outside of one. */
export const chosenTimeZone: TimeZoneChoice = globalThis.localStorage?.getItem(key) === 'utc' ? 'utc' : 'own';

/** The zone's name, as `Intl` takes it; undefined for the reader's own. */
export const timeZone = chosenTimeZone === 'utc' ? 'UTC' : undefined;

/** Shows all times in another zone, beginning with those on the page. */
export function showTimesIn(choice: TimeZoneChoice): void {
  localStorage.setItem(key, choice);
  location.reload();
}
