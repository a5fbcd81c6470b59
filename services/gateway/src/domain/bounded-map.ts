/** Puts an entry at the end of a map that holds at most `maxEntries`. A full map drops its oldest entry. */
export function putBounded<T>(map: Map<string, T>, name: string, value: T, maxEntries: number): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= maxEntries) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
