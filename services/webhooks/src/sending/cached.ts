/** The most results that are cached; the results of one endpoint's address and secret are some 0.5 kB. */
const maxResults = 10_000;

/** Returns a function that caches the results of `compute`, by both texts. A full cache is cleared. */
export function cached<T>(compute: (text: string, of: string) => T): (text: string, of?: string) => T {
  const results = new Map<string, T>();
  return (text, of = '') => {
    const key = `${of} ${text}`;
    const found = results.get(key);
    if (found !== undefined) return found;
    const result = compute(text, of);
    if (results.size >= maxResults) results.clear();
    results.set(key, result);
    return result;
  };
}
