/** The most results that are cached; the results of one endpoint's address and secret are some 0.5 kB. */
const maxResults = 10_000;

/** Returns a function that caches the results of `compute`. A full cache is cleared. */
export function cached<T>(compute: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const found = results.get(text);
    if (found !== undefined) return found;
    const result = compute(text);
    if (results.size >= maxResults) results.clear();
    results.set(text, result);
    return result;
  };
}
